import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTesting } from "../../src/commands/run-testing.ts";
import { connectTestService } from "@sallyport/testing";
import { tickets } from "../content.ts";

interface Place {
  readonly url: string;
  readonly appKey: string;
  readonly control: string;
  readonly token: string;
}

/** Serves until the signal or a control ends it. */
async function start(options: readonly string[], signal: AbortSignal) {
  return new Promise<{ place: Place; running: Promise<number> }>((resolve, reject) => {
    const stdout = { write: (text: string) => resolve({ place: JSON.parse(text) as Place, running }) };
    const stderr = { write: (text: string) => reject(new Error(text)) };
    const running = runTesting(["serve", ...options, "--json"], { stdout, stderr, env: {}, signal });
  });
}

describe("serve", () => {
  let folder: string;
  let place: Place;
  let running: Promise<number>;
  const stopping = new AbortController();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-serve-"));
    const file = join(folder, "options.json");
    writeFileSync(file, JSON.stringify({ databases: { "": tickets }, licences: true }));
    ({ place, running } = await start(["--options", file], stopping.signal));
  });
  afterAll(async () => {
    stopping.abort();
    expect(await running).toBe(0);
    await expect(fetch(place.url)).rejects.toThrow("fetch failed");
    await expect(fetch(place.control)).rejects.toThrow("fetch failed");
    rmSync(folder, { recursive: true });
  });

  const control = async (method: string, path: string, body?: object, token = place.token) => {
    const response = await fetch(place.control + path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> };
  };

  test("is controlled over HTTP", async () => {
    const { hostname } = new URL(place.control);
    expect([hostname, new URL(place.url).hostname]).toEqual(["127.0.0.1", "127.0.0.1"]);
    const client = await connectTestService({ url: place.url, appKey: place.appKey, users: { ada: "correct horse" } });
    const ada = client.as("ada");
    const { id } = (await control("GET", "/id?name=first")).body;
    await ada.get(`/v1/object/${id}`).expect(200);

    await control("POST", "/failures", { route: "GET /v1/object/{id}", code: 607, retryAfter: 9, times: "always" });
    const failed = await ada.get(`/v1/object/${id}`).expect(503);
    expect(failed.headers["retry-after"]).toBe("9");
    await control("DELETE", "/failures", { route: "GET /v1/object/{id}" });
    await ada.get(`/v1/object/${id}`).expect(200);
    await control("POST", "/failures", { route: "GET /v1/object/{id}", drop: "before" });
    await expect(ada.get(`/v1/object/${id}`)).rejects.toThrow("socket hang up");

    const before = (await control("GET", "/clock")).body.now;
    const { now } = (await control("POST", "/clock", { advance: "31 min" })).body;
    expect(now - before).toBeGreaterThanOrEqual(31 * 60_000);
    await ada.get("/_CheckSession").expect(401);

    await client.anonymous().post("/v1/resetPassword").send({ user: "ada" }).expect(200);
    await control("POST", "/timers", { run: "mail" });
    expect((await control("GET", "/mail?to=ada@example.com")).body.items).toMatchObject([{ to: "ada@example.com" }]);
    expect((await control("GET", "/licences")).status).toBe(200);
    expect((await control("GET", "/audit")).body.items).toContainEqual(
      expect.objectContaining({ type: "login.accepted", actor: "ada" }),
    );
    const journal = (await control("GET", "/journal")).body.items;
    expect(journal).toContainEqual(expect.objectContaining({ path: `/v1/object/${id}`, code: 607 }));
    const { requestId } = journal.find(({ code }: { code: number }) => code === 607);
    expect((await control("GET", `/why?requestId=${requestId}`)).body.refusal).toMatchObject({
      failure: { code: 607 },
    });
    expect((await control("POST", "/administrationKey")).body.appKey).toMatch(/\w{20}/);

    await control("POST", "/content", { content: { objects: [{ name: "third", className: "Note" }] } });
    expect((await control("GET", "/id?name=third")).status).toBe(200);
    expect((await control("POST", "/reset")).status).toBe(200);
    expect((await control("GET", "/id?name=third")).body.error).toContain('no "third"');
    expect((await control("GET", "/journal")).body.items).toEqual([]);
  });

  test("refuses requests without the token, unknown controls and invalid input", async () => {
    for (const token of ["", "wrong", `${place.token}x`])
      expect((await control("POST", "/reset", {}, token)).status).toBe(401);
    expect((await fetch(`${place.url}/reset`, { method: "POST" })).status).toBe(404);
    const unknown = await control("POST", "/everything");
    expect(unknown.status).toBe(404);
    expect(unknown.body.error).toMatch(/There is no control POST \/everything\. The controls are:\n {2}POST \/reset\n/);
    expect((await control("POST", "//")).status).toBe(400);
    for (const [path, body, reason] of [
      ["/clock", { advance: "soon" }, "not a duration"],
      ["/timers", { run: "swep" }, "no timer"],
      ["/failures", { route: "GET /_CheckSession" }, "exactly one of"],
      ["/failures", { route: "GET /nothing", code: 607 }, "no route"],
      ["/failures", { code: 607 }, "`route` is missing"],
      ["/content", { content: { user: [] } }, 'did you mean "users"?'],
      ["/clock", [], "must be a JSON object"],
    ] as const) {
      const refused = await control("POST", path, body);
      expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(reason)]);
    }
    const cleared = await control("DELETE", "/failures", {});
    expect([cleared.status, cleared.body.error]).toEqual([400, expect.stringContaining("`route` is missing")]);
  });

  test("ends by a control", async () => {
    const other = await start([], new AbortController().signal);
    const headers = { authorization: `Bearer ${other.place.token}` };
    const response = await fetch(`${other.place.control}/close`, { method: "POST", headers });
    expect([response.status, await response.json()]).toEqual([200, {}]);
    expect(await other.running).toBe(0);
    await expect(fetch(other.place.url)).rejects.toThrow("fetch failed");
    await expect(fetch(other.place.control)).rejects.toThrow("fetch failed");
  });

  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const written = { out: "", err: "" };
    const code = await runTesting(args, {
      stdout: { write: (text) => (written.out += text) },
      stderr: { write: (text) => (written.err += text) },
      env,
      signal: AbortSignal.abort(),
    });
    return { code, ...written };
  };

  test("prints the addresses, the app key and the token", async () => {
    expect((await run(["serve"])).out).toMatch(
      /^Service {2}http:\/\/127\.0\.0\.1:\d+\nApp key {2}demo-app-key\nControl {2}http:\/\/127\.0\.0\.1:\d+\nToken {4}[\w-]{43}\n$/,
    );
  });

  test("is refused in production, and with wrong arguments", async () => {
    const refused = await run(["serve"], { NODE_ENV: "production" });
    expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("NODE_ENV is production") });
    for (const [args, reason] of [
      [[], "The command is missing."],
      [["sreve"], 'Did you mean "serve"?'],
      [["serve", "more"], 'no argument "more"'],
      [["serve", "--port", "x"], '"x" is not a port.'],
      [["serve", "--options", join(folder, "missing.json")], "no such file"],
    ] as const)
      expect(await run(args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(reason) });
    expect((await run(["--help"])).out).toContain("POST /clock              advance\n");
  });

  test("refuses invalid options in words", async () => {
    const file = join(folder, "wrong.json");
    writeFileSync(file, '{ "storage": "sqlite" }');
    expect((await run(["serve", "--options", file])).err).toContain("Invalid options of the service: storage: must be");
    writeFileSync(file, "{");
    expect((await run(["serve", "--options", file])).err).toContain("is not valid JSON");
  });

  test("is a command of the package", async () => {
    const { bin } = (await import("../../package.json", { with: { type: "json" } })).default;
    const main = fileURLToPath(new URL(`../../${bin.testing}`, import.meta.url));
    const text = await new Promise<string>((resolve) => {
      const env = { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "" };
      execFile(process.execPath, [main, "serve"], { env }, (_error, _stdout, stderr) => resolve(stderr));
    });
    expect(text).toContain("not for production");
  });
});

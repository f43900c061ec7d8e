import { jest } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServerProcess } from "./server-process.ts";

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), "sallyport-demo-"));
afterAll(() => rmSync(folder, { recursive: true }));

const creation = "creating the database, which takes a few seconds";

const command = (args: readonly string[], input?: string) =>
  new ServerProcess(args, { DATA_DIR: "kept" }, folder, input).ended;

const start = () => new ServerProcess([], { PORT: "0", DATA_DIR: "kept" }, folder);

async function ask(
  url: string,
  path: string,
  headers: object = {},
  body?: object,
): Promise<{ code: string; data: Record<string, unknown> }> {
  const answer = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { appkey: "demo-app-key", "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status, data } = (await answer.json()) as {
    status: { internalStatus: string };
    data: Record<string, unknown>;
  };
  return { code: status.internalStatus, data };
}

test("the demo needs nothing, keeps what it acknowledged when it is killed, has its directory to itself, and lets commands in", async () => {
  const first = start();
  try {
    const creating = await first.logged(creation);
    expect(creating).toMatchObject({ level: "info", dataDir: join(folder, "kept") });
    expect(first.lines()).toEqual([creating]);
    const url = await first.url();
    const { stdout, stderr, code } = await start().ended;
    expect({ code, stdout: stdout.includes("listening") }).toEqual({ code: 1, stdout: false });
    expect(stderr).toMatch(/^error: The data directory .*kept is in use by process \d+/);

    const made = await command(["app-key", "create", "another-client", "--app-name", "demo-app"]);
    expect(made).toMatchObject({ code: 0 });
    const appkey = /^[\w-]{43}$/m.exec(made.stdout)?.[0] ?? "";
    expect(await command(["user", "create", "ann", "--group", "Readers"], "secret of Ann\n")).toMatchObject({
      code: 0,
      stdout: 'The user "ann" exists now.\n',
    });
    const logIn = () =>
      ask(url, "/v1/login", { appkey }, { user: "ann", pass: "secret of Ann", appNames: ["demo-app"] });
    expect(await logIn()).toMatchObject({ code: "0" });
    // One command after another gets the database, however many there are.
    const others = await Promise.all([
      command(["app-key", "disable", "another-client"]),
      command(["user", "list", "--json"]),
    ]);
    expect(others.map(({ code: exit, stderr: complaint }) => [exit, complaint.replace(/^note: .*\n/, "")])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    expect(await logIn()).toMatchObject({ code: "101" });

    const { data } = await ask(url, "/second/v1/login", {}, { user: "demo", pass: "demo", appNames: ["demo-app"] });
    const sessionId = String(data["sessionId"]);
    await first.kill();
    expect((await first.ended).stdout).toContain(url);

    const again = start();
    try {
      const restarted = await again.url();
      expect(await ask(restarted, "/second/_CheckSession", { sessionId })).toMatchObject({ code: "0" });
      expect(await ask(restarted, "/second/v1/objects/Customer?perPage=1", { sessionId })).toMatchObject({
        data: { "~Count": 200 },
      });
      // A session is good with the database that opened it only.
      expect(await ask(restarted, "/_CheckSession", { sessionId })).toMatchObject({ code: "201" });
      expect(again.lines().map(({ msg }) => msg)).not.toContain("demo data created");
      expect(again.lines().map(({ msg }) => msg)).not.toContain(creation);
    } finally {
      await again.kill();
    }
  } finally {
    await first.kill();
  }
});

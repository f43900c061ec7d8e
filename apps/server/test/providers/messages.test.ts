import { Writable } from "node:stream";
import { signIn } from "@sallyport/fake-identity-providers";
import { pino } from "pino";
import request from "supertest";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { startLogIn, finishLogIn, link, begin } from "./browser.ts";
import { openProviderFixture, type ProviderFixture, register, providerEnvironment } from "./provider-fixture.ts";
import { repositoriesOf } from "../repositories-of.ts";

describe("provider messages", () => {
  let fixture: ProviderFixture;
  let server: RunningServer;
  let lines: string[];
  beforeAll(async () => {
    fixture = await openProviderFixture();
    lines = [];
    const kept = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) });
    const environment = {
      ...providerEnvironment,
      DEBUG_MESSAGES: "true",
      LOG_LEVEL: "trace",
    };
    server = await startSeededServer(
      [{ engine: "memory" }, { engine: "memory" }],
      environment,
      pino({ level: "trace" }, kept),
      fixture.content,
    );
    for (const type of ["google", "apple"] as const) await register(fixture, server, type);
  });
  afterAll(async () => {
    await server.close();
    await fixture.close();
  });

  const post = (path: string, body: string, type = "application/x-www-form-urlencoded") =>
    request(server.url)
      .post(path)
      .set("Content-Type", type)
      .ok(() => true)
      .send(body)
      .then(({ status, body: { status: told } }) => [status, told.internalStatus]);

  test("a form is accepted on the callback of Apple only, within limits", async () => {
    for (const name of ["apple", "appleid", "APPLE"])
      expect(await post(`/v1/${name}/callback`, "state=x&code=y")).toEqual([400, "324"]);
    expect(await post("/v1/google/callback", "state=x&code=y")).toEqual([406, "207"]);
    expect(await post("/v1/apple/callback", '{"state":"x"}', "application/json")).toEqual([406, "207"]);
    expect(await post("/v1/apple/callback", "state=x", "application/x-www-form-urlencoded; charset=utf-16")).toEqual([
      406,
      "207",
    ]);
    expect(await post("/v1/apple/callback", "")).toEqual([400, "300"]);
    expect(await post("/v1/apple/callback", "state=x&state=y")).toEqual([400, "307"]);
    expect(await post("/v1/apple/callback", `code=${"x".repeat(17_000)}`)).toEqual([400, "307"]);
    expect(await post("/v1/apple/callback", `code=${"x".repeat(70_000)}`)).toEqual([413, "801"]);
    expect(await post("/v1/login", "user=demo&pass=demo&appNames=demo-app")).toEqual([400, "100"]);
    expect(await post("/v1/extLogin", "user=demo&pass=demo&appNames=demo-app")).toEqual([400, "100"]);
  });

  test("other methods are refused, and a callback requires no app key", async () => {
    const ask = (method: "head" | "put" | "delete", path: string) =>
      request(server.url)
        [method](path)
        .ok(() => true)
        .then(({ status, headers }) => [status, headers["allow"]]);
    expect(await ask("head", "/v1/google/callback")).toEqual([405, "GET, POST"]);
    expect(await ask("put", "/v1/google/callback")).toEqual([405, "GET, POST"]);
    expect(await ask("delete", "/v1/auth/google")).toEqual([405, "GET"]);
    expect(
      (
        await request(server.url)
          .get("/v1/google/callback")
          .ok(() => true)
      ).body.status.internalStatus,
    ).toBe("324");
    expect(
      (
        await request(server.url)
          .get("/v1/google/callback/more")
          .ok(() => true)
      ).body.status.internalStatus,
    ).toBe("304");
  });

  test("a log-in over plain HTTP from another machine is refused", async () => {
    const environment = { ...providerEnvironment, TRUSTED_PROXIES: "127.0.0.1" };
    const databases = [{ engine: "memory" }, { engine: "memory" }] as const;
    const proxied = await startSeededServer(databases, environment, undefined, fixture.content);
    await register(fixture, proxied, "google");
    const from = (proto: string) => ({ "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": proto });
    const { location, cookie } = await startLogIn(proxied, "google", { headers: from("https") });
    const { parameters } = await signIn(location, "anna");
    expect(await begin(proxied, "google", { headers: from("http") })).toMatchObject({ status: 400, code: "307" });
    expect(await begin(proxied, "google")).toMatchObject({ status: 400, code: "307" });
    expect(await begin(proxied, "google", { headers: from("https") })).toMatchObject({ status: 302 });
    const callback = (proto: string) =>
      request(proxied.url)
        .get(`/v1/google/callback?${new URLSearchParams([...parameters])}`)
        .set({ ...from(proto), Cookie: cookie })
        .ok(() => true);
    expect((await callback("http")).body.status.internalStatus).toBe("307");
    expect((await callback("https")).body.status.internalStatus).toBe("0");
    await proxied.close();
  });

  test("neither logs nor answers nor the audit contain credentials", async () => {
    const { location, cookie } = await startLogIn(server, "google", { query: { "2faToken": "135790" } });
    const callback = await signIn(location, "anna");
    const { body } = await finishLogIn(server, callback, cookie);
    const { dfUuid } = body.data;
    await finishLogIn(server, callback, cookie);
    await link(server, dfUuid, { pass: "wrong" });
    const { sessionId } = (await link(server, dfUuid)).body.data;
    fixture.fakes.injectFaults("google", { answers: { token: "refusesClient" } });
    const refused = await startLogIn(server, "google");
    const second = await signIn(refused.location, "anna");
    const { body: told } = await finishLogIn(server, second, refused.cookie);
    fixture.fakes.clearFaults();
    const secrets = [dfUuid, sessionId, "135790", "google-secret"];
    for (const each of [
      { location, cookie, callback },
      { location: refused.location, cookie: refused.cookie, callback: second },
    ]) {
      const { searchParams } = new URL(each.location);
      secrets.push(
        each.cookie.split("=")[1] ?? "",
        ...["state", "nonce", "code_challenge"].map((name) => searchParams.get(name) ?? "-"),
        each.callback.parameters.get("code") ?? "",
      );
    }
    const everything = [
      ...lines,
      JSON.stringify(told),
      JSON.stringify(await repositoriesOf(server).audit.read(0, 1_000)),
    ].join("\n");
    expect(everything).toContain("/v1/{providerName}/callback");
    expect(secrets.every((secret) => secret.length > 5)).toBe(true);
    expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
  });

  test("a page of a listed origin may begin a log-in, and can read the answer", async () => {
    await repositoriesOf(server).appKeys.create(
      { name: "page", appNames: ["demo-app"], origins: ["https://app.example"] },
      (await import("node:crypto")).createHash("sha256").update("page-app-key").digest("hex"),
    );
    const { headers, status } = await begin(server, "google", {
      query: { appkey: "page-app-key" },
      headers: { origin: "https://app.example" },
    });
    expect([status, headers["access-control-allow-origin"]]).toEqual([302, "https://app.example"]);
    expect((await begin(server, "google", { query: { appkey: "page-app-key", appNames: "demo-seats" } })).code).toBe(
      "208",
    );
  });
});

import { randomUUID } from "node:crypto";
import { request as startRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { jest } from "@jest/globals";
import { administrationOf, type Database, putSyncSchema, setLimits, setMaintenance } from "@sallyport/core";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { call, callIn, multiResults, tryLogIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { modes } from "../modes.ts";
import { openSession } from "../open-session.ts";

const proxied = { TRUSTED_PROXIES: "127.0.0.1" };
const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" });

/** Sets limits of the first database, as the command does. */
async function changeLimits(
  { databases }: RunningServer,
  limits: Readonly<Record<string, number | null>>,
): Promise<void> {
  await setLimits(administrationOf(databases.get("") as Database), new Map(Object.entries(limits)));
}

/** Request rates over HTTP. They need no particular storage. */
describe("request rates", () => {
  let server: RunningServer;
  const start = async (environment: Record<string, string> = {}) => {
    server = await startDemoServer("memory", environment);
  };
  afterEach(() => server.close());

  const check = async (path = "/_CheckService", headers: Record<string, string> = {}) => {
    const { code } = await call(server, path, { headers });
    return code;
  };
  const refused = {
    status: 429,
    body: { status: { internalStatus: "800", statusMessage: "Too many requests" } },
    headers: { "retry-after": expect.stringMatching(/^(?:[1-9]|[1-5]\d|60)$/) },
  };

  test("of an address count every form of a path, and no forged address", async () => {
    await start({ ...proxied, RATE_ADDRESS_PER_MINUTE: "1", RATE_ADDRESS_BURST: "5" });
    const paths = ["/_CheckService", "//_CheckService", "/_CheckService/", "/_CheckService?", "/v1/login"];
    const codes = [];
    for (const [index, path] of paths.entries()) codes.push(await check(path, from(`203.0.113.${index}, 192.0.2.7`)));
    // The last path does not exist for GET, so its request does not count.
    expect(codes).toEqual(["0", "0", "0", "0", "305"]);
    expect(await check("/_CheckService", from("192.0.2.7"))).toBe("0");
    expect(await call(server, "/_CheckService", { headers: from("203.0.113.9, 192.0.2.7") })).toMatchObject(refused);
    expect(await check("/_CheckService", from("192.0.2.8"))).toBe("0");
    for (let count = 0; count < 5; count += 1) await check("/_CheckService", from(`2001:db8:1:1::${count}`));
    expect(await check("/_CheckService", from("2001:db8:1:1:ffff::1"))).toBe("800");
    expect(await check("/_CheckService", from("2001:db8:1:2::1"))).toBe("0");
    // Another database counts for itself.
    expect(await check("/second/_CheckService", from("192.0.2.7"))).toBe("0");
  });

  test("of an address trust no forwarded address without a configured proxy", async () => {
    await start({ RATE_ADDRESS_PER_MINUTE: "1", RATE_ADDRESS_BURST: "2" });
    const codes = [];
    for (let count = 0; count < 3; count += 1) codes.push(await check("/_CheckService", from(`192.0.2.${count}`)));
    expect(codes).toEqual(["0", "0", "800"]);
  });

  test("stand between the app key and the session, and after maintenance", async () => {
    await start({ RATE_APP_KEY_PER_MINUTE: "1", RATE_APP_KEY_BURST: "3" });
    const sessionId = await logIn(server, "demo");
    const sent = (headers: Record<string, string>) => check("/_CheckSession", headers);
    expect([await sent({ sessionid: sessionId }), await sent({ sessionid: "unknown" })]).toEqual(["0", "201"]);
    const credentials = [{ sessionid: sessionId }, { sessionid: "unknown" }, { authorization: "x" }, {}];
    for (const each of credentials) expect(await sent(each)).toBe("800");
    expect([await sent({ appkey: "" }), await sent({ appkey: "wrong" })]).toEqual(["100", "101"]);
    expect(await check("/nowhere")).toBe("304");
    await setMaintenance(administrationOf(server.databases.get("") as Database), { message: null, endsAt: null });
    // An early refusal is at most a quarter of a second old.
    await until(async () => (await sent({ sessionid: sessionId })) !== "800");
    expect(await sent({ sessionid: sessionId })).toBe("706");
  });

  test("refuse a flood without a statement per request, in time for browsers", async () => {
    await start({ RATE_ADDRESS_PER_MINUTE: "1", RATE_ADDRESS_BURST: "2" });
    const { repositories } = (server.databases.get("") as Database).storage;
    const key = { name: "web", appNames: null, origins: ["https://app.example"] };
    const { digests } = server.databases.get("") as Database;
    await repositories.appKeys.create(key, digests.sha256("web-key"));
    const headers = { appkey: "web-key", origin: "https://app.example" };
    expect([await check("/_CheckSession", headers), await check("/_CheckSession", headers)]).toEqual(["200", "200"]);
    const admissions = jest.spyOn(repositories.admission, "admit");
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(server, "/_CheckSession", { headers })));
    for (const answer of answers) {
      expect(answer).toMatchObject(refused);
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": "https://app.example",
        "access-control-expose-headers": expect.stringContaining("retry-after"),
      });
    }
    expect(admissions.mock.calls.length).toBeLessThan(5);
    const preflight = { ...headers, "access-control-request-method": "GET" };
    expect((await call(server, "/_CheckSession", { method: "OPTIONS", headers: preflight })).code).toBe("800");
  });

  test.each(modes)("of a session are the same in mode %s, and do not affect other sessions", async (mode) => {
    await start({ MASTER_KEY: Buffer.alloc(32, 7).toString("base64") });
    await changeLimits(server, { "rates.session.perMinute": 1, "rates.session.burst": 3 });
    const [one, other] = [await openSession(server, mode, "demo"), await openSession(server, mode, "demo")];
    const codes = [];
    for (let count = 0; count < 5; count += 1) codes.push((await callIn(server, one, "/_CheckSession")).code);
    expect(codes).toEqual(["0", "0", "0", "800", "800"]);
    expect((await callIn(server, other, "/_CheckSession")).code).toBe("0");
    expect(await callIn(server, one, "/v1/logout", { method: "POST" })).toMatchObject(refused);
    await changeLimits(server, { "rates.session.perMinute": null });
    expect((await callIn(server, one, "/v1/logout", { method: "POST" })).code).toBe("0");
  });

  test("count every item of a multi request", async () => {
    await start({ RATE_SESSION_PER_MINUTE: "1", RATE_SESSION_BURST: "5" });
    const sessionId = await logIn(server, "demo");
    const read = { method: "GET", path: "/v1/objects/Customer?perPage=1" };
    const create = { method: "POST", path: "/v1/object/Customer", data: { Name: "multi" } };
    const send = (path: string, body: object) => call(server, path, { method: "POST", sessionId, body });
    const first = await send("/v1/multi", [read, create, read]);
    expect(multiResults(first.body.data).map(({ httpStatus }) => httpStatus)).toEqual([200, 200, 200]);
    const second = await send("/v1/multi", [create, read, create, { method: "GET", path: "/nowhere" }]);
    expect(multiResults(second.body.data)).toMatchObject([
      { httpStatus: 200 },
      { httpStatus: 200 },
      { httpStatus: 429, result: 800 },
      { httpStatus: 404, result: 304 },
    ]);
    expect((await send("/v1/multi", [read])).code).toBe("800");
    await changeLimits(server, { "rates.session.burst": 4 });
    expect(await send("/v1/multi?atomic=true", [create, create, create, create, create])).toMatchObject({
      status: 429,
      code: "800",
    });
    const counted = await call(server, '/v1/objects/Customer?query={"where":{"Name":"multi"}}', {
      sessionId: await logIn(server, "demo"),
    });
    expect(counted.body.data["~Count"]).toBe(2);
  });

  test("let an atomic multi request succeed after `Retry-After`", async () => {
    await start({ RATE_SESSION_PER_MINUTE: "240", RATE_SESSION_BURST: "4" });
    const sessionId = await logIn(server, "demo");
    const read = { method: "GET", path: "/v1/objects/Customer?perPage=1" };
    const send = () =>
      call(server, "/v1/multi?atomic=true", { method: "POST", sessionId, body: [read, read, read, read] });
    expect((await send()).code).toBe("0");
    const refusal = await send();
    expect(refusal).toMatchObject({ ...refused, headers: { "retry-after": "1" } });
    await pause(1_000);
    expect((await send()).code).toBe("0");
  });

  test("count an operation of a push once, and not each repetition", async () => {
    await start({ RATE_SESSION_PER_MINUTE: "1", RATE_SESSION_BURST: "6" });
    const classes = [{ className: "Customer" }];
    await putSyncSchema(administrationOf(server.databases.get("") as Database), { name: "all", classes });
    const sessionId = await logIn(server, "demo");
    const ops = Array.from({ length: 4 }, (_, index) => ({
      id: `op ${index}`,
      op: "put",
      uuid: randomUUID(),
      syncVersion: "0",
      className: "Customer",
      fields: { Name: "pushed" },
    }));
    const push = async (sent: readonly object[]) => {
      const body = { syncVersion: "0", limit: 1, ops: sent };
      const { code, body: answer } = await call(server, "/v1/sync/all/push", { method: "POST", sessionId, body });
      return answer.data?.results.map((each: { internalStatus: string }) => Number(each.internalStatus)) ?? code;
    };
    expect([await push(ops), await push(ops)]).toEqual([ops, ops].map((each) => each.map(() => 0)));
    const another = { ...ops[0], id: "another", uuid: randomUUID() };
    const last = { ...ops[0], id: "last", uuid: randomUUID() };
    // The request takes the last token, for the first operation without a result.
    expect(await push([...ops, another, last])).toEqual([0, 0, 0, 0, 0, 800]);
    expect(await push(ops)).toBe("800");
  });

  test("appear in the metrics, and in the audit as a tally", async () => {
    await start({ RATE_ADDRESS_PER_MINUTE: "1", RATE_ADDRESS_BURST: "1" });
    const codes = await Promise.all(Array.from({ length: 20 }, () => check()));
    expect(codes.filter((code) => code === "800")).toHaveLength(19);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^sallyport_rate_limited_total\{alias="",limit="address"\} 19$/m);
    expect(metrics).toMatch(/^sallyport_requests_total\{.*code="800"\} 19$/m);
    const { audit } = (server.databases.get("") as Database).storage.repositories;
    await audit.settle(0, 10);
    const events = (await audit.read(0, 100)).filter(({ type }) => type === "requests.refused");
    expect(events).toMatchObject([{ outcome: 800, address: "127.0.0.1", actorId: null }]);
  });

  test("apply from the next request when they change in a storm", async () => {
    await start();
    const over = new AbortController();
    const seen = new Set<string>();
    const storm = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) seen.add(await check());
    });
    for (let round = 0; round < 3; round += 1) {
      await changeLimits(server, { "rates.address.perMinute": 1, "rates.address.burst": 20 });
      await until(async () => (await check()) === "800");
      await changeLimits(server, { "rates.address.perMinute": null });
      // The first request after an early refusal notices the change.
      await until(async () => (await check()) !== "800");
      expect(await check()).toBe("0");
    }
    over.abort();
    await Promise.all(storm);
    expect([...seen].toSorted()).toEqual(["0", "800"]);
  });

  test("apply to log-ins, which are refused before their credentials are checked", async () => {
    await start({ RATE_ADDRESS_PER_MINUTE: "1", RATE_ADDRESS_BURST: "2" });
    const answers = await Promise.all(Array.from({ length: 6 }, () => tryLogIn(server, "demo")));
    expect(answers.map(({ code }) => code).toSorted()).toEqual(["0", "0", "800", "800", "800", "800"]);
    // A refused request with a body that it has not sent leaves the connection usable.
    const status = await new Promise((resolve) => {
      const headers = { appkey: "demo-app-key", "content-type": "application/json", "content-length": 4 };
      const sent = startRequest(`${server.url}/v1/login`, { method: "POST", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.write("{}");
      setImmediate(() => sent.end("  "));
    });
    expect(status).toBe(429);
  });
});

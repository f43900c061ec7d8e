import { createHash } from "node:crypto";
import { networkInterfaces } from "node:os";
import type { RunningServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { call, checkSession, tryLogIn } from "../client.ts";
import { administrationKey } from "../administration/administration-fixture.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

const digestOf = (key: string) => createHash("sha256").update(key).digest("hex");
const shop = "https://shop.example";

describe("access", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo();
    const { appKeys } = repositories();
    await appKeys.create({ name: "shop", appNames: ["demo-app"], origins: [shop] }, digestOf("shop-key"));
    await appKeys.create({ name: "gone", appNames: null, origins: ["https://gone.example"] }, digestOf("gone-key"));
    await appKeys.setEnabled("gone", false);
  }, 60_000);
  afterAll(() => postgres.close());

  const repositories = () => {
    const database = server.databases.get("");
    if (!database) throw new Error("The demo has no database.");
    return database.storage.repositories;
  };

  describe("by app key", () => {
    test("is refused to a disabled key", async () => {
      expect(await tryLogIn(server, "demo", {}, { appkey: "gone-key" })).toMatchObject({ status: 401, code: "101" });
    });

    test("covers the key's app names only", async () => {
      const headers = { appkey: "shop-key" };
      expect((await tryLogIn(server, "demo", {}, headers)).code).toBe("0");
      expect((await tryLogIn(server, "demo", { appNames: ["demo-app", "demo-seats"] }, headers)).code).toBe("208");
    });

    test("ends for open sessions when the key is disabled", async () => {
      await repositories().appKeys.create({ name: "brief", appNames: null, origins: [] }, digestOf("brief-key"));
      const headers = { appkey: "brief-key" };
      const { body } = await tryLogIn(server, "demo", {}, headers);
      await repositories().appKeys.setEnabled("brief", false);
      const sent = { headers, sessionId: body.data.sessionId };
      expect((await call(server, "/_CheckSession", sent)).code).toBe("101");
      await repositories().appKeys.setEnabled("brief", true);
      expect((await call(server, "/_CheckSession", sent)).code).toBe("0");
    });
  });

  describe("from browsers", () => {
    const preflight = (origin: string, path = "/v1/login") =>
      call(server, path, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", appkey: "" },
      });

    test("is granted in a preflight to an origin that an enabled key lists", async () => {
      const { status, code, body, headers } = await preflight(shop);
      expect({ status, code, data: body.data }).toEqual({ status: 200, code: "0", data: {} });
      expect(headers["access-control-allow-origin"]).toBe(shop);
      expect(headers["access-control-allow-methods"]).toBe("GET, POST, PUT, PATCH, DELETE");
      for (const name of [
        "appkey",
        "sessionid",
        "authorization",
        "secure-token",
        "content-type",
        "encrypted",
        "x-request-id",
        "if-match",
        "if-none-match",
        "if-range",
        "content-range",
        "range",
      ]) {
        expect(headers["access-control-allow-headers"]?.split(", ")).toContain(name);
      }
    });

    test.each([
      "https://evil.example",
      "https://gone.example",
      "https://shop.example.evil.example",
      "null",
      "http://shop.example",
    ])("is not granted in a preflight to %s", async (origin) => {
      const { status, code, headers } = await preflight(origin);
      expect({ status, code }).toEqual({ status: 405, code: "305" });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    });

    test("does not exist on another database", async () => {
      expect((await preflight(shop, "/second/v1/login")).code).toBe("305");
      expect((await preflight(shop, "/second/v1/nothing")).code).toBe("304");
    });

    test.each(["http://localhost:5173", "http://localhost", "http://127.0.0.1:8000"])(
      "is granted by the demo's key to pages on this machine: %s",
      async (origin) => {
        expect((await preflight(origin)).headers["access-control-allow-origin"]).toBe(origin);
        const { code, headers } = await tryLogIn(server, "demo", {}, { origin });
        expect([code, headers["access-control-allow-origin"]]).toEqual(["0", origin]);
      },
    );

    test.each([
      "http://localhost.evil.example:5173",
      "https://localhost:5173",
      "http://evil.example/localhost:5173",
      "http://localhost:*",
      "null",
    ])("is not granted by it to %s", async (origin) => {
      expect((await preflight(origin)).headers["access-control-allow-origin"]).toBeUndefined();
      expect((await tryLogIn(server, "demo", {}, { origin })).headers["access-control-allow-origin"]).toBeUndefined();
    });

    test("is granted to the key's own origins only, failures included", async () => {
      const origin = { origin: shop };
      const granted = await tryLogIn(server, "demo", { pass: "wrong" }, { ...origin, appkey: "shop-key" });
      expect(granted.headers["access-control-allow-origin"]).toBe(shop);
      expect(granted.headers["access-control-expose-headers"]?.split(", ")).toEqual(
        expect.arrayContaining([
          "etag",
          "encrypted",
          "retry-after",
          "content-disposition",
          "x-request-id",
          "sync-restart",
        ]),
      );
      const other = await tryLogIn(server, "demo", {}, origin);
      expect(other.code).toBe("0");
      expect(other.headers["access-control-allow-origin"]).toBeUndefined();
    });
  });

  describe("over plain HTTP", () => {
    const forwarded = (protocol: string) => ({ "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": protocol });

    test("is refused behind a proxy that reports it, for log-ins and sessions alike", async () => {
      const behind = await postgres.demo({ TRUSTED_PROXIES: "127.0.0.1" });
      expect(await tryLogIn(behind, "demo", {}, forwarded("http"))).toMatchObject({ status: 400, code: "307" });
      const { code, body } = await tryLogIn(behind, "demo", {}, forwarded("https"));
      expect(code).toBe("0");
      const { sessionId } = body.data;
      expect((await call(behind, "/_CheckSession", { sessionId, headers: forwarded("http") })).code).toBe("307");
      expect((await call(behind, "/_CheckSession", { sessionId, headers: forwarded("https") })).code).toBe("0");
      expect((await call(behind, "/_CheckService", { headers: forwarded("http") })).code).toBe("0");
      for (const unreadable of [{}, { "x-forwarded-for": "unknown" }, { "x-forwarded-for": "127.0.0.1," }])
        expect(await tryLogIn(behind, "demo", {}, unreadable)).toMatchObject({ status: 400, code: "307" });
      await behind.close();
    });

    test("ignores headers of an untrusted client", async () => {
      expect((await tryLogIn(server, "demo", {}, forwarded("http"))).code).toBe("0");
    });

    test("is refused from other machines unless the configuration allows it", async () => {
      const outside = Object.values(networkInterfaces())
        .flat()
        .find((each) => each?.family === "IPv4" && !each.internal)?.address;
      // A machine without a network is reachable by loopback only.
      if (outside === undefined) return;
      const databases = [{ alias: "", storage: { engine: "postgres", url: postgres.url, schema: "sallyport_demo" } }];
      for (const [allowed, code] of [
        ["false", "307"],
        ["true", "0"],
      ] as const) {
        const open = await postgres.configured({ databases }, { HOST: "0.0.0.0", ALLOW_INSECURE_TRANSPORT: allowed });
        expect((await tryLogIn({ url: `http://${outside}:${open.address.port}` }, "demo")).code).toBe(code);
        await open.close();
      }
    });
  });

  test("without any credential is answered with the configured code", async () => {
    const compatible = await postgres.demo({ MISSING_CREDENTIAL: "204" });
    expect(await call(compatible, "/_CheckSession")).toMatchObject({ status: 400, code: "204" });
    await compatible.close();
  });

  test("under a base path reaches the same routes, and nothing beside it", async () => {
    const moved = await postgres.demo({ BASE_PATH: "/api/base" });
    const root = { url: moved.url.replace("/api/base", "") };
    expect(moved.url).toMatch(/\/api\/base$/);
    const sessionId = await logIn(moved, "demo");
    expect(await checkSession(moved, sessionId)).toBe("0");
    expect((await call(root, "/_CheckService")).code).toBe("304");
    expect((await call(root, "/api/_CheckService")).code).toBe("304");
    await moved.close();
  });

  test("finds no administration where the configuration disables it", async () => {
    const key = await administrationKey(server);
    const moved = await postgres.demo({ ADMINISTRATION_ENABLED: "false" });
    for (const path of ["/admin/v1/login", "/admin/v1/openapi.json", "/admin/v1/users", "/second/admin/v1/limits"])
      for (const appKey of [key, "demo-app-key"]) {
        const { status, code } = await call(moved, path, { headers: { appkey: appKey } });
        expect([path, status, code]).toEqual([path, 404, "304"]);
      }
    expect(moved.demoAdministrationKeys.size).toBe(0);
    expect(await checkSession(moved, await logIn(moved, "demo"))).toBe("0");
    await moved.close();
  });

  test("names unknown query parameters that look like known ones when debug messages are on", async () => {
    const talkative = await postgres.demo({ DEBUG_MESSAGES: "true" });
    const sessionId = await logIn(talkative, "demo");
    const path = "/v1/objects/Customer?perpage=1";
    const hint = 'The query parameter "perpage" is unknown. Use `perPage`.';
    const told = async (at: string, by: RunningServer = talkative) => {
      const { body } = await call(by, at, { sessionId });
      return [body.status.internalStatus, body.status.debugMessage];
    };
    expect(await told(path)).toEqual(["0", hint]);
    expect(await told(`/v1/objects/Customer?qb64=${Buffer.from("perpage=1").toString("base64url")}`)).toEqual([
      "0",
      hint,
    ]);
    const member = 'The query parameter "where" is unknown. Use the member `where` of `query`.';
    expect(await told("/v1/objects/Customer?where=%7B%7D&x=y")).toEqual(["0", member]);
    expect(await told("/v1/objects/Customer?where=%7B%7D&page=x")).toEqual([
      "307",
      expect.stringMatching(/^at \/page.* Use the member `where` of `query`\.$/),
    ]);
    expect(await told("/v1/objects/Customer?x=y")).toEqual(["0", undefined]);
    const items = await call(talkative, "/v1/multi", { method: "POST", sessionId, body: [{ method: "GET", path }] });
    expect(items.body.data[0].result.status).toEqual({
      internalStatus: "0",
      statusMessage: "ok",
      debugMessage: hint,
    });
    await talkative.close();
    expect((await told(path, server))[1]).toBeUndefined();
  });

  test("includes the reason of a failure when debug messages are on", async () => {
    const talkative = await postgres.demo({ DEBUG_MESSAGES: "true" });
    const refused = await tryLogIn(talkative, "demo", { device: { deviceId: 5 } });
    expect(refused.body.status.debugMessage).toBe("at /device/deviceId");
    expect((await tryLogIn(server, "demo", { device: { deviceId: 5 } })).body.status.debugMessage).toBeUndefined();
    await talkative.close();
  });
});

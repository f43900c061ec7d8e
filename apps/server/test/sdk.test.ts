import { type LogInMode, SallyportClient } from "@sallyport/client";
import { storedKeyPair } from "../../../packages/client/test/stored-key-pair.ts";
import type { RunningServer } from "../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";

const modes: readonly LogInMode[] = ["session", "token", "encrypted", "secure"];
const reader = { user: "reader", password: "reader", appNames: ["demo-app"] };

describe("the client", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  const keyPair = storedKeyPair();
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo();
  }, 60_000);
  afterAll(() => postgres.close());

  const clientOf = (alias = "") => new SallyportClient({ baseUrl: server.url, alias, appKey: "demo-app-key" });
  const sessions = async () => Number((await postgres.sql.query("select count(*) from sallyport_demo.sessions")).rows[0].count);

  describe.each(modes)("in mode %s", (mode) => {
    let client: SallyportClient;
    beforeEach(async () => {
      await postgres.sql.query("delete from sallyport_demo.sessions; update sallyport_demo.session_counts set sessions = 0");
      client = clientOf();
      await expect(client.logIn({ ...reader, mode, ...(mode === "secure" || mode === "encrypted" ? { keyPair: await keyPair } : {}) })).resolves.toEqual({
        mode,
        databaseName: "demo",
        user: expect.objectContaining({ "~ClassName": "User", Name: "reader" }),
      });
    });

    test("reads objects, one and all", async () => {
      const names = new Set<string>();
      for await (const { Name } of client.objects<{ Name: string }>("Customer", { perPage: 70 })) names.add(Name);
      expect(names.size).toBeGreaterThan(100);
      const page = await client.listObjects("Customer", { perPage: 1, serialization: { depth: 0 } });
      const [first] = page["~Elements"];
      await expect(client.getObject(first?.["~ObjectID"] ?? "")).resolves.toMatchObject({ "~ClassName": "Customer" });
    });

    test("tells what the server refuses", async () => {
      await expect(client.getObject("ZZZZZZ")).rejects.toMatchObject({ code: 304, httpStatus: 404, requestId: expect.any(String) });
      await expect(client.listObjects("Customer", { query: { unknown: 1 } })).rejects.toMatchObject({ code: 307, httpStatus: 400 });
    });

    test("makes many calls at once", async () => {
      const pages = await Promise.all(Array.from({ length: 60 }, (_, page) => client.listObjects("Customer", { page: page % 20, perPage: 10 })));
      expect(pages.map((page) => page["~Elements"].length)).toEqual(Array<number>(60).fill(10));
    });

    test("renews the session when it is over, once", async () => {
      await postgres.sql.query("update sallyport_demo.sessions set expires_at = now() - interval '1 second'");
      await expect(client.checkSession()).resolves.toBe(false);
      const before = await sessions();
      const pages = await Promise.all(Array.from({ length: 10 }, () => client.listObjects("Customer", { perPage: 1 })));
      expect(pages.map((page) => page["~Count"])).toEqual(Array<number>(10).fill(200));
      expect(await sessions()).toBe(before + 1);
      await expect(client.checkSession()).resolves.toBe(true);
    });

    test("logs out", async () => {
      const { session } = client;
      await client.logOut();
      expect(await sessions()).toBe(0);
      const { headers } = (await session?.seal({ headers: { appkey: "demo-app-key" } })) ?? { headers: {} };
      expect((await fetch(`${server.url}/_CheckSession`, { headers })).status).toBe(401);
    });

    test("is good for the database it has logged in to only", async () => {
      const { headers } = (await client.session?.seal({ headers: { appkey: "demo-app-key" } })) ?? { headers: {} };
      expect((await fetch(`${server.url}/second/_CheckSession`, { headers })).status).toBe(401);
      await expect(clientOf("second").checkService()).resolves.toMatchObject({ applicationName: expect.any(String) });
    });
  });

  test("in secure mode sends contents that the server can read", async () => {
    const client = clientOf();
    await client.logIn({ ...reader, mode: "secure", keyPair: await keyPair });
    await expect(client.request({ method: "POST", path: "/v1/logout", body: {}, renew: false })).resolves.toMatchObject({ data: {} });
    await expect(client.checkSession()).resolves.toBe(false);
  });

  test("in secure mode comes by padding with SHA-1, too", async () => {
    const client = clientOf();
    await client.logIn({ ...reader, mode: "secure", padding: "OAEP-SHA-1", keyPair: await storedKeyPair("SHA-1") });
    await expect(client.checkSession()).resolves.toBe(true);
  });
});

import { codeOf, digestOf, newSession, openPolicy } from "./sample.ts";
import { openInProcesses, sharedSessionSuite, times } from "./processes-suite.ts";
import { openTestDatabase, processTimeout, startTimeout, type TestDatabase } from "./test-database.ts";
import type { KnexStorage } from "../src/index.ts";

describe("sessions of several processes", () => {
  let database: TestDatabase;
  let storage: KnexStorage;
  let offset = 0;

  beforeAll(async () => {
    database = await openTestDatabase();
    storage = database.storage({ clockOffset: () => offset });
    await storage.migrate();
  }, startTimeout);
  beforeEach(async () => {
    offset = 0;
    await storage.repositories.sessions.end({ userId: "1" });
    await storage.repositories.sessions.end({ userId: "2" });
  });
  afterEach(async () => {
    const { rows } = await database.admin.query(
      "select (select count(*) from test.sessions) = (select sum(sessions) from test.session_counts) as counted",
    );
    expect(rows).toEqual([{ counted: true }]);
  });
  afterAll(() => database.drop());

  const subject = () => ({ url: database.url, schema: "test", storage });
  sharedSessionSuite(subject);

  test(
    "fill it exactly when they began side by side",
    async () => {
      const { rows } = await database.admin.query("select current_setting('max_connections')::integer as connections");
      const limit = (rows[0] as { connections: number }).connections + 20;
      const outcomes = await openInProcesses(subject(), { ...openPolicy, limit }, (process) =>
        Array.from({ length: limit / 2 }, (_, index) => newSession(`side by side ${process} ${index}`)),
      );
      expect([times(outcomes, 0), times(outcomes, 315)]).toEqual([limit, outcomes.length - limit]);
      expect(await storage.repositories.sessions.count()).toBe(limit);
    },
    processTimeout,
  );

  test("do not wait while there is room", async () => {
    const { rows } = await database.admin.query("select current_setting('max_connections')::integer as connections");
    const roomy = { ...openPolicy, limit: (rows[0] as { connections: number }).connections + 20 };
    await storage.transaction(async (r) => {
      await r.sessions.open(newSession("under way"), roomy);
      await storage.repositories.sessions.open(newSession("beside it"), roomy);
    });
    expect(await storage.repositories.sessions.count()).toBe(2);
  });

  test("that are over give their room away before they are swept", async () => {
    const { sessions } = storage.repositories;
    const full = { ...openPolicy, limit: 2, perUserLimit: 2 };
    for (const name of ["old 1", "old 2"]) await sessions.open(newSession(name), full);
    expect(await codeOf(sessions.open(newSession("new"), full))).toBe(315);
    offset = openPolicy.idleTimeout;
    await sessions.open(newSession("new"), full);
    expect(await sessions.sweep(10)).toBe(2);
  });

  test("are extended once, however many requests see that it is time", async () => {
    const { admission, appKeys, accounts, sessions } = storage.repositories;
    await appKeys.create({ name: "web", appNames: null, origins: [] }, digestOf("web"));
    await accounts.create({ userId: "1", loginName: "u", secret: "s", administrator: false }, "u");
    const request = { appKey: digestOf("web"), session: digestOf("touched"), idleTimeout: openPolicy.idleTimeout };
    const { appKey } = await admission.admit({ ...request, session: null });
    await sessions.open(newSession("touched", { appKeyId: appKey?.id ?? "" }), openPolicy);
    const version = async () => (await database.admin.query("select xmin from test.sessions")).rows;
    const opened = await version();
    offset = 59_000;
    await admission.admit(request);
    expect(await version()).toEqual(opened);
    offset = 61_000;
    await Promise.all(Array.from({ length: 8 }, () => admission.admit(request)));
    const { rows } = await database.admin.query<{ life: number }>(
      "select extract(epoch from expires_at - opened_at)::float8 as life from test.sessions",
    );
    expect(rows[0]?.life).toBeCloseTo(661, 0);
    const touched = await version();
    await admission.admit(request);
    expect(await version()).toEqual(touched);
  });
});

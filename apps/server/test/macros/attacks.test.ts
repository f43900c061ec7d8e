import { randomUUID } from "node:crypto";
import { MacroStore, type Repositories } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn } from "../client.ts";
import { startDemoServer } from "../demo-server.ts";
import { withoutLockout } from "../engines.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../password-suite.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

describe("attacks on connections", () => {
  /** Attacks through executions on the connections of a database: there are two, and one thread. */

  type Session = Awaited<ReturnType<typeof openSession>>;

  /** Milliseconds. */
  const timeout = 120_000;

  let postgres: PostgresFixture;
  let server: RunningServer;
  let demo: Session;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    await (await postgres.demo()).close();
    const storage = {
      engine: "postgres",
      url: postgres.url,
      schema: "sallyport_demo",
      pool: { max: 2, acquireTimeout: "2s" },
    };
    server = await postgres.configured(
      { databases: [{ alias: "", name: "demo", storage }] },
      { ...withoutLockout, MACRO_THREADS: "1", MACRO_QUEUE_TIMEOUT: "30s", MACRO_TIMEOUT: "20s" },
    );
    demo = await openSession(server, "session", "demo");
    const put = (name: string, body: string, members = "") =>
      new MacroStore(repositoriesOf(server)).put(
        {
          name,
          text: `import { defineMacro } from "@sallyport/macros"; export default defineMacro({ access: "everyone", ${members} async run({ input, objects, call, now }) { ${body} } });`,
          language: "js",
          changedBy: "test",
        },
        null,
      );
    await put("Make", "await objects.create('Customer', { Name: input }); return await now();");
    await put(
      "Look",
      "await objects.find('Customer', { perPage: 1 }); await now(); return (await objects.find('Customer', { perPage: 1 }))['~Count'];",
    );
    await put("Hold", "await objects.get(input, { forUpdate: true }); for (;;) await now();", "timeout: 1_500,");
    await put("Spin", "for (;;) {}", "timeout: 1_500,");
    await put("Set", "await objects.update(input, { City: 'Rome' }); return 1;", "timeout: 3_000,");
  }, timeout);
  afterAll(() => postgres.close());

  const execute = (name: string, input: unknown): Promise<Answer> =>
    callIn(server, demo, `/v1/execute/${name}`, { method: "POST", body: input as object });
  const concurrently = (...names: string[]): Promise<Answer> =>
    callIn(server, demo, "/v1/multi?atomic=true", {
      method: "POST",
      body: names.map((data) => ({ method: "POST", path: "/v1/execute/Make", data })),
    });
  const statusOf = ({ status, code }: Answer) => `${status}/${code}`;
  const idle = async () => {
    // Statistics stay the same within a transaction; there is none here.
    const { rows } = await postgres.sql.query(
      "select count(*)::int as open from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    return rows[0].open as number;
  };

  test(
    "transactions that wait for a thread and executions that wait for a connection do not deadlock",
    async () => {
      const [one, two] = [randomUUID(), randomUUID()];
      const answers = await Promise.all([
        ...Array.from({ length: 10 }, () => concurrently(one, one)),
        ...Array.from({ length: 10 }, () => execute("Make", two)),
        ...Array.from({ length: 10 }, () => execute("Look", null)),
      ]);
      expect(answers.map(statusOf).filter((each) => !["200/0", "503/607", "503/706"].includes(each))).toEqual([]);
      const count = async (name: string) =>
        (
          await postgres.sql.query(
            "select count(*)::int as count from sallyport_demo.objects where attributes ->> 'Name' = $1",
            [name],
          )
        ).rows[0].count;
      const accepted = (from: number, to: number) => answers.slice(from, to).filter(({ code }) => code === "0").length;
      expect([await count(one), await count(two)]).toEqual([2 * accepted(0, 10), accepted(10, 20)]);
      expect([statusOf(await execute("Make", two)), statusOf(await concurrently(one)), await idle()]).toEqual([
        "200/0",
        "200/0",
        0,
      ]);
    },
    timeout,
  );

  test(
    "transactions that wait for a thread occupy no connection",
    async () => {
      const spin = { isOver: false };
      const spinning = execute("Spin", null).finally(() => (spin.isOver = true));
      const waiting = Array.from({ length: 4 }, () => concurrently(randomUUID()));
      const read: string[] = [];
      while (!spin.isOver) read.push(statusOf(await callIn(server, demo, "/v1/objects/Customer?perPage=1", {})));
      expect(new Set(read)).toEqual(new Set(["200/0"]));
      expect(read.length).toBeGreaterThan(2);
      expect([statusOf(await spinning), ...(await Promise.all(waiting)).map(statusOf)]).toEqual([
        "500/710",
        "200/0",
        "200/0",
        "200/0",
        "200/0",
      ]);
    },
    timeout,
  );

  test(
    "an execution that holds a lock delays others up to its time limit, and leaves nothing open",
    async () => {
      const { data } = (await callIn(server, demo, "/v1/object/Customer", { method: "POST", body: { Name: "Held" } }))
        .body;
      const id = data["~ObjectID"] as string;
      const locking = execute("Hold", id);
      const change = callIn(server, demo, `/v1/object/${id}`, { method: "PATCH", body: { City: "Oslo" } });
      expect([statusOf(await locking), statusOf(await change)]).toEqual(["500/710", "200/0"]);
      expect([statusOf(await execute("Set", id)), await idle()]).toEqual(["200/0", 0]);
    },
    timeout,
  );

  test(
    "an execution with a blocked statement is answered in time, and its transaction is rolled back",
    async () => {
      const { data } = (await callIn(server, demo, "/v1/object/Customer", { method: "POST", body: { Name: "Locked" } }))
        .body;
      const id = data["~ObjectID"] as string;
      await postgres.sql.query("begin");
      await postgres.sql.query(
        "select from sallyport_demo.objects where oid = sallyport_demo.object_number($1) for update",
        [id],
      );
      expect((await Promise.all([execute("Set", id), execute("Set", id)])).map(statusOf)).toEqual([
        "500/710",
        "500/710",
      ]);
      await postgres.sql.query("rollback");
      const read = await callIn(server, demo, `/v1/object/${id}`);
      expect([statusOf(read), read.body.data?.City ?? null]).toEqual(["200/0", null]);
      expect([statusOf(await execute("Set", id)), await idle()]).toEqual(["200/0", 0]);
    },
    timeout,
  );
});

describe("attacks", () => {
  /** Attempts of an attacker who may write macros, or only execute them. */

  type Session = Awaited<ReturnType<typeof openSession>>;

  /** Milliseconds. */
  const timeout = 120_000;

  let server: RunningServer;
  let demo: Session;
  let reader: Session;
  beforeAll(async () => {
    server = await startDemoServer("memory", {
      ...withoutLockout,
      MACRO_QUEUE_LIMIT: "20",
      MACRO_QUEUE_TIMEOUT: "1m",
      MACRO_TIMEOUT: "30s",
      DEBUG_MESSAGES: "true",
    });
    [demo, reader] = [await openSession(server, "session", "demo"), await openSession(server, "session", "reader")];
  }, timeout);
  afterAll(() => server.close());

  const repositories = (): Repositories => server.databases.get("")?.storage.repositories as Repositories;

  const everyone = 'access: "everyone",';
  async function put(name: string, body: string, members = everyone): Promise<void> {
    const text = `import { defineMacro, refuse } from "@sallyport/macros";\nexport default defineMacro({ ${members} async run({ input, caller, objects, call, log, now, random, setStatusMessage }) {\n${body}\n} });`;
    await new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
  }
  const execute = (name: string, input?: unknown, as = demo): Promise<Answer> =>
    callIn(server, as, `/v1/execute/${name}`, {
      method: "POST",
      ...(input === undefined ? {} : { body: input as object }),
    });
  const statusOf = ({ status, code }: Answer) => `${status}/${code}`;
  async function customers(name: string): Promise<number> {
    const query = encodeURIComponent(JSON.stringify({ where: { Name: name } }));
    return (await callIn(server, demo, `/v1/objects/Customer?query=${query}`)).body.data["~Count"];
  }

  test(
    "a status message is truncated",
    async () => {
      await put("Talkative", "setStatusMessage('x'.repeat(input)); return 1;");
      const { status, body } = await execute("Talkative", 5_000_000);
      expect([status, body.status.statusMessage]).toEqual([200, "x".repeat(500)]);
    },
    timeout,
  );

  test("text in a status message or a refusal cannot break out into the envelope or a header", async () => {
    await put(
      "Forger",
      `setStatusMessage('ok"},"data":{"forged":1}}\\r\\nSet-Cookie: a=b'); if (input) refuse(307, '"}\\r\\nSet-Cookie: a=b'); return { status: { internalStatus: "201" } };`,
    );
    const accepted = await execute("Forger");
    expect([accepted.code, accepted.body.data, Object.keys(accepted.body)]).toEqual([
      "0",
      { status: { internalStatus: "201" } },
      ["status", "data"],
    ]);
    const refused = await execute("Forger", 1);
    expect([statusOf(refused), Object.keys(refused.body)]).toEqual(["400/307", ["status"]]);
    expect([accepted.headers["set-cookie"], refused.headers["set-cookie"]]).toEqual([undefined, undefined]);
  });

  test(
    "endlessly recursive modules are answered 710 in time, and others are served",
    async () => {
      await put(
        "Bomb",
        "for (let round = 0; round < 1_000; round += 1) try { await call('Bomb'); } catch {} return 1;",
        `${everyone} timeout: 2_000,`,
      );
      await put("Small", "return input;");
      const bombs = [execute("Bomb"), execute("Bomb")];
      expect((await Promise.all(bombs)).map(statusOf)).toEqual(["500/710", "500/710"]);
      expect((await execute("Small", 7)).body.data).toBe(7);
    },
    timeout,
  );

  test(
    "more macros than may wait for a thread are all read",
    async () => {
      const names = Array.from({ length: 60 }, (_, index) => `Many${index}`);
      for (const name of names) await put(name, `return "${name}";`);
      const answers = await Promise.all(["Many0", "Many59"].map((name) => execute(name)));
      expect(answers.map(({ body }) => body.data)).toEqual(["Many0", "Many59"]);
    },
    timeout,
  );

  test(
    "an argument above the size limit does not reach the server",
    async () => {
      await put("Heavy", "await objects.create('Customer', { Name: 'x'.repeat(2_200_000) });");
      const answer = await execute("Heavy");
      expect([statusOf(answer), answer.body.status.debugMessage]).toEqual([
        "500/710",
        expect.stringContaining("objects.create: the argument is larger than 2097152 bytes"),
      ]);
    },
    timeout,
  );

  test(
    "concurrent executions do not see each other, nor each other's caller",
    async () => {
      await put(
        "Who",
        "globalThis.left ??= []; left.push(caller.userId); const { name } = caller; await now(); return [name, caller.userId, left.length, random()];",
      );
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) => execute("Who", undefined, index % 2 === 0 ? demo : reader)),
      );
      const results: [string, string, number, number][] = answers.map(({ body }) => body.data);
      expect(results.map(([name, , count]) => [name, count])).toEqual(
        answers.map((_, index) => [index % 2 === 0 ? "demo" : "reader", 1]),
      );
      expect(new Set(results.map(([, id]) => id)).size).toBe(2);
      expect(new Set(results.map(([, , , number]) => number)).size).toBe(16);
    },
    timeout,
  );

  test("a macro of one database does not exist in another", async () => {
    await put("OfOne", "return 1;");
    const second = await openSession(server, "session", "demo", { alias: "second" });
    expect(statusOf(await callIn(server, second, "/second/v1/execute/OfOne", { method: "POST" }))).toBe("500/710");
  });

  describe("failures leave nothing behind", () => {
    beforeAll(async () => {
      await put("Make", "await objects.create('Customer', { Name: input }); return 1;");
      await put("MakeAndFail", "await objects.create('Customer', { Name: input }); throw new Error('no');");
      await put(
        "CatchFailure",
        "try { await call('MakeAndFail', input); } catch {} await objects.create('Customer', { Name: `${input} kept` }); return 1;",
      );
      await put(
        "InPieces",
        "await objects.create('Customer', { Name: input }); throw new Error('no');",
        `${everyone} transaction: false,`,
      );
      await put("CatchPieces", "try { await call('InPieces', input); } catch {} return 1;");
      await put("Hasty", "objects.create('Customer', { Name: input }); return 1;");
      await put("CatchHasty", "await call('Hasty', input).catch(() => {}); return 1;");
      await put(
        "CatchDeep",
        "try { await call('CatchFailure', input); await call('MakeAndFail', input); } catch {} return 1;",
      );
    });

    const item = (name: string, data: unknown) => ({ method: "POST", path: `/v1/execute/${name}`, data });
    const concurrently = (...items: object[]) =>
      callIn(server, demo, "/v1/multi?atomic=true", { method: "POST", body: items });

    test.each([
      ["CatchFailure", "200/0", 0, 1],
      ["CatchPieces", "200/0", 0, 0],
      ["Hasty", "500/710", 0, 0],
      ["CatchHasty", "200/0", 0, 0],
      ["CatchDeep", "200/0", 0, 1],
      ["InPieces", "500/710", 1, 0],
    ])("from %s by itself", async (macro, answer, failed, kept) => {
      const name = randomUUID();
      expect([statusOf(await execute(macro, name)), await customers(name), await customers(`${name} kept`)]).toEqual([
        answer,
        failed,
        kept,
      ]);
    });

    test.each([
      ["CatchFailure", "200/0", 0, 1],
      ["CatchPieces", "200/0", 0, 0],
      ["CatchHasty", "200/0", 0, 0],
      ["CatchDeep", "200/0", 0, 1],
      ["InPieces", "500/710", 0, 0],
      ["MakeAndFail", "500/710", 0, 0],
    ])("from %s in an atomic multi request", async (macro, answer, failed, kept) => {
      const name = randomUUID();
      const before = `${name} before`;
      expect([
        statusOf(await concurrently(item("Make", before), item(macro, name))),
        await customers(name),
        await customers(`${name} kept`),
      ]).toEqual([answer, failed, kept]);
      expect(await customers(before)).toBe(answer === "200/0" ? 1 : 0);
    });
  });
});

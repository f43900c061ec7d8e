import { randomUUID } from "node:crypto";
import { MacroStore } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { type Answer, callIn } from "../client.ts";
import { withoutLockout } from "../engines.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { tuned } from "../test-environment.ts";

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
      // Two for one person, who has half of them.
      pool: { max: 4, acquireTimeout: "2s" },
    };
    server = await postgres.configured(
      { databases: [{ alias: "", name: "demo", storage }] },
      {
        ...withoutLockout,
        MACRO_THREADS: "1",
        MACRO_TIMEOUT: "20s",
        ...tuned({ macros: { queue: { timeout: 30_000 } } }),
      },
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

import { until } from "@sallyport/test-kit/jest/until";
import { type PostgresFixture, openPostgresFixture } from "../postgres-fixture.ts";
import { type FaultFixture, type Reply, openFaultFixture } from "./fault-fixture.ts";
import { objectOperations } from "./object-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { syncOperations } from "./sync-operations.ts";

/** Milliseconds. */
const timeout = 60_000;

const leaks = /out of ink|relation|select|insert into|trigger|tablespace/i;

const operations = [...objectOperations, ...sessionOperations, ...syncOperations];

/** The table that refuses a write of this operation, which rows it refuses, and the code. */
const refusals: readonly (readonly [title: string, table: string, rows: string, code: number])[] = [
  ["creates an object", "objects", "true", 713],
  ["changes an object", "objects", "true", 713],
  ["changes the readers of an object", "objects", "true", 713],
  ["changes all matching objects", "objects", "true", 713],
  ["restores objects that were deleted together", "objects", "true", 713],
  ["locks an object", "locks", "true", 713],
  ["unlocks an object", "locks", "true", 713],
  ["deletes an object", "objects", "true", 718],
  ["recycles an object", "objects", "true", 718],
  ["purges objects that were deleted together", "tombstones", "true", 718],
  ["puts a synchronized object", "objects", "true", 713],
  ["deletes a synchronized object", "objects", "true", 718],
  ["pushes a put", "objects", "true", 713],
  ["pushes a put", "records", "(coalesce(new, old)).kind = 'syncOperation'", 714],
  ["pushes a deletion", "objects", "true", 718],
  ["pushes a deletion", "records", "(coalesce(new, old)).kind = 'syncOperation'", 719],
  ["deletes a synchronized object", "records", "(coalesce(new, old)).kind = 'syncDeletion'", 720],
  ["logs out", "sessions", "true", 703],
  ["logs in by /v1/login", "sessions", "true", 706],
];

/** The states of a full disk, of no memory, of an I/O error, and those that a trigger raises. */
const states = ["53100", "53200", "58030", "P0001", "23514", "22012"] as const;

/** A Postgres that is reached, and refuses to write. */
describe("a database that refuses writes", () => {
  let postgres: PostgresFixture;
  let fixture: FaultFixture;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    fixture = await openFaultFixture({ databaseUrl: postgres.url });
  }, timeout);
  afterAll(async () => {
    await fixture.close();
    await postgres.close();
  });

  const sql = (text: string) => postgres.sql.query(text);
  const refuse = (table: string, rows: string, state: string) =>
    sql(`
      create or replace function sallyport_demo.refuse() returns trigger language plpgsql as $$ begin
        if ${rows} then raise exception 'out of ink' using errcode = '${state}'; end if; return coalesce(new, old); end $$;
      create or replace trigger refuse_writes before insert or update or delete on sallyport_demo.${table}
        for each row execute function sallyport_demo.refuse()`);
  const accept = () => sql("drop function if exists sallyport_demo.refuse cascade");
  afterEach(accept);

  test.each(refusals.map((each, index) => [...each, states[index % states.length] as string] as const))(
    "a request that %s, with the table %s refusing rows where %s, is answered with %i (%s), and changes nothing",
    async (title, table, rows, code, state) => {
      const operation = operations.find((each) => each.title === title);
      if (operation === undefined) throw new Error(`No route ${title}.`);
      const { request, state: stateOf } = await operation.prepare(fixture);
      await refuse(table, rows, state);
      const reply = await fixture.send(request);
      await accept();
      expect({ code: reply.code, leak: leaks.exec(reply.text)?.[0], state: await stateOf() }).toEqual({
        code,
        leak: undefined,
        state: "absent",
      });
      // It was refused for the moment only.
      const again = await operation.prepare(fixture);
      expect((await fixture.send(again.request)).code).toBe(0);
      expect(await again.state()).toBe("whole");
    },
    timeout,
  );

  test(
    "a push keeps no result of an operation that the database refused",
    async () => {
      const operation = operations.find(({ title }) => title === "pushes a put");
      const { request, state } = await (operation as NonNullable<typeof operation>).prepare(fixture);
      const { ops } = request.body as { ops: readonly object[] };
      const push = { ...request, body: { ...request.body, atomic: false, ops } };
      const statusOf = ({ data }: Reply) => Number(data.results[0].internalStatus);
      await refuse("objects", "true", "53100");
      const refused = await fixture.send(push);
      expect(statusOf(refused)).toBe(713);
      await accept();
      const repeated = await fixture.send(push);
      expect(statusOf(repeated)).toBe(0);
      expect(await state()).toBe("whole");
    },
    timeout,
  );

  const readiness = async () => {
    const answer = await fetch(`${fixture.url}/readyz`);
    const { databases } = (await answer.json()) as { databases: Readonly<Record<string, string>> };
    return { status: answer.status, state: databases["(empty)"] };
  };

  /** A result of readiness is cached, and existing connections keep their settings. */
  async function withSetting(setting: string, work: () => Promise<void>): Promise<void> {
    const { rows } = await sql("select current_database() as name");
    const { name } = rows[0] as { name: string };
    const endOthers = () =>
      sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
    await sql(`alter database ${name} set ${setting}`);
    await endOthers();
    try {
      await work();
    } finally {
      await sql(`alter database ${name} reset ${setting.split(" ")[0]}`);
      await endOthers();
    }
  }

  async function becomes(expected: object): Promise<void> {
    await until(async () => JSON.stringify(await readiness()) === JSON.stringify(expected), { seen: readiness });
  }

  test.each([
    [
      "a read-only database",
      "default_transaction_read_only = on",
      "Unable to connect to RAS server: The database is read-only.",
      704,
    ],
    // A limit on temporary files fails a write to one as a full disk does.
    [
      "a database without space",
      "temp_file_limit = 0",
      "The server is currently unavailable: The database refuses the call.",
      0,
    ],
  ])(
    "the readiness reports %s",
    async (_title, setting, state, logIn) => {
      const credentials = { user: "demo", pass: "demo", appNames: ["demo-app"] };
      await withSetting(setting, async () => {
        await becomes({ status: 503, state });
        const reply = await fixture.send({ method: "POST", path: "/v1/login", sessionId: null, body: credentials });
        expect(reply.code).toBe(logIn);
      });
      await becomes({ status: 200, state: "ok" });
    },
    timeout,
  );
});

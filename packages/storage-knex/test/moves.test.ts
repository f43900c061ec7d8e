import { setTimeout as pause } from "node:timers/promises";
import type { ServiceError } from "@sallyport/storage";
import { isFullRun } from "@sallyport/test-kit/scope";
import pg from "pg";
import { type KnexStorage, type MoveNotice, MoveRefused, type MoveSettings, PostgresMove } from "../src/index.ts";
import { codeOf, digestOf, newSession, openPolicy } from "./sample.ts";
import { openTestDatabase, startTimeout, type TestDatabase } from "./test-database.ts";

/** Whether the server of the tests replicates logically; the one that they start does. */
async function replicatesLogically(): Promise<boolean> {
  const url = process.env["DATABASE_DIRECT_URL"] ?? process.env["DATABASE_URL"] ?? "";
  if (url === "") return true;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ wal_level: string }>("show wal_level");
  await client.end();
  return rows[0]?.wal_level === "logical";
}

// The server needs `wal_level = logical`.
((await replicatesLogically()) ? describe : describe.skip)("moves to another database", () => {
  let old: TestDatabase;
  let fresh: TestDatabase;
  let storage: KnexStorage;
  let notices: MoveNotice[];

  beforeEach(async () => {
    [old, fresh] = await Promise.all([openTestDatabase({ migrated: true }), openTestDatabase()]);
    notices = [];
    storage = old.storage({ onMove: (notice) => notices.push(notice) });
  }, startTimeout);
  afterEach(async () => {
    await old.drop();
    await fresh.drop();
  });

  const place = "postgres://new";
  const moving = (settings: Partial<MoveSettings> = {}) =>
    new PostgresMove({
      schema: "test",
      present: old.url,
      from: old.url,
      to: fresh.url,
      subscriber: fresh.url,
      notice: { place, sealedUrl: "sealed" },
      report: () => {},
      signal: new AbortController().signal,
      ...settings,
    });
  const move = async (settings: Partial<MoveSettings> = {}) => {
    const mover = moving(settings);
    try {
      return await mover.run();
    } finally {
      await mover.close();
    }
  };
  const reasonOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => "nothing was refused",
      (error: unknown) => (error instanceof MoveRefused ? error.message : String(error)),
    );
  const add = async (to: KnexStorage, name: string) => {
    const [object] = await to.repositories.objects.insert([{ className: "File", attributes: { Name: name } }]);
    return object?.id as string;
  };
  const numbers = async ({ admin }: TestDatabase, schema: string) =>
    (await admin.query<{ oid: string }>(`select oid from ${schema}.objects order by oid`)).rows.map(({ oid }) => oid);
  /** Names that a move has left at either place besides the schemas. */
  const leftovers = async () => {
    const text = `select pubname as name from pg_publication union all select slot_name from pg_replication_slots where database = current_database()
      union all select subname from pg_subscription where subdbid = (select oid from pg_database where datname = current_database())`;
    return (await Promise.all([old, fresh].map(({ admin }) => admin.query(text)))).flatMap(({ rows }) => rows);
  };

  test(
    "takes every acknowledged write along, and the old place refuses calls with 706",
    async () => {
      const { sessions, objects } = storage.repositories;
      await sessions.open(newSession("kept"), openPolicy);
      await add(storage, "before");
      const before = await objects.watermark();
      const acknowledged: string[] = [];
      const failures: unknown[] = [];
      const write = async () => {
        while (notices.length === 0) {
          await add(storage, "during").then(
            (id) => acknowledged.push(id),
            (error: unknown) => failures.push(error),
          );
          // A copy follows one writer at a time, so it cannot catch up with writers that never pause.
          await pause(5);
        }
      };
      const writing = Promise.all([write(), write(), write(), write()]);
      const report = await move();
      await writing;

      expect(report).toMatchObject({ outcome: "moved", oldSchema: "test_moved", interruption: expect.any(Number) });
      expect(acknowledged.length).toBeGreaterThan(20);
      expect(await numbers(fresh, "test")).toEqual(await numbers(old, "test_moved"));
      expect(await leftovers()).toEqual([]);
      for (const error of failures as ServiceError[])
        expect(error).toMatchObject({ code: 706, retryAfter: 1, cause: { name: "DatabaseMoved", place } });
      expect(failures.length).toBeGreaterThan(0);
      expect(notices[0]).toEqual({ place, sealedUrl: "sealed" });

      for (const former of [storage, old.storage()])
        for (const call of [
          () => former.repositories.objects.watermark(),
          () => former.transaction((r) => r.sessions.count()),
          () => former.health(),
          () => former.migrate(),
        ])
          expect(await codeOf(call())).toBe(706);
      const tables = "select tablename as name from pg_tables where schemaname = 'test'";
      expect((await old.admin.query(tables)).rows).toEqual([{ name: "moved" }]);

      const moved = fresh.storage();
      await moved.health();
      expect(await moved.repositories.sessions.list({ after: null, limit: 9 })).toMatchObject([
        { digest: digestOf("kept") },
      ]);
      const next = await add(moved, "after");
      expect(acknowledged).not.toContain(next);
      const page = await moved.repositories.objects.changes({
        classes: ["File"],
        after: { stamp: before, id: null },
        upTo: await moved.repositories.objects.watermark(),
        limit: 100_000,
      });
      expect(page.changes.map(({ id }) => id)).toEqual(expect.arrayContaining([...acknowledged, next]));
    },
    startTimeout,
  );

  test.each(isFullRun ? ["copying", "indexing", "catchingUp", "switching"] : ["switching"])(
    "leaves the old place in use if it ends while %s, and can start over",
    async (step) => {
      await add(storage, "kept");
      const ended = new AbortController();
      const reason = new MoveRefused("Interrupted.");
      const report: MoveSettings["report"] = (at) => (at.step === step ? ended.abort(reason) : undefined);
      expect(await reasonOf(move({ report, signal: ended.signal }))).not.toBe("nothing was refused");
      expect(await leftovers()).toEqual([]);
      expect((await fresh.admin.query("select from pg_namespace where nspname = 'test'")).rowCount).toBe(0);
      await add(storage, "kept");
      expect(await move()).toMatchObject({ outcome: "moved" });
      expect(await numbers(fresh, "test")).toHaveLength(2);
    },
    startTimeout,
  );

  test(
    "ends either at the old place or at the new one if all its connections are cut during the switch",
    async () => {
      for (let round = 0; round < (isFullRun ? 6 : 2); round += 1) {
        let cuts = 0;
        const cut = async (delay: number) => {
          await pause(delay);
          const text =
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'sallyport-move'";
          await old.admin.query(text);
          cuts += 1;
        };
        let cutting: Promise<void> | undefined;
        const outcome = await reasonOf(
          move({ report: ({ step }) => (step === "switching" ? (cutting ??= cut(round * 15)) : undefined) }),
        );
        await cutting;
        expect(cuts).toBe(1);
        const { rows } = await old.admin.query<{ moved: boolean }>(
          "select to_regclass('test.moved') is not null as moved",
        );
        if (rows[0]?.moved === true) break;
        expect(outcome).not.toBe("nothing was refused");
        await add(storage, "kept");
      }
      const before = await numbers(
        old,
        (await old.admin.query("select from pg_namespace where nspname = 'test_moved'")).rowCount === 1
          ? "test_moved"
          : "test",
      );
      expect((await move()).outcome).toMatch(/^(?:moved|already)$/);
      expect(await numbers(fresh, "test")).toEqual(before);
      expect(await leftovers()).toEqual([]);
    },
    startTimeout,
  );

  test(
    "waits for transactions that use the tables, with pauses for other writers",
    async () => {
      const steps: string[] = [];
      let switching = (): void => {};
      const isSwitching = new Promise<void>((resolve) => {
        switching = resolve;
      });
      await old.admin.query("begin; lock table test.objects in row exclusive mode");
      const moved = move({
        report: ({ step }) => {
          steps.push(step);
          if (step === "switching") switching();
        },
      });
      await isSwitching;
      await pause(1_600);
      await old.admin.query("commit");
      expect(await moved).toMatchObject({ outcome: "moved" });
      expect(steps.filter((step) => step === "switching").length).toBeGreaterThan(1);
    },
    startTimeout,
  );

  test(
    "is told to roles with rights to single tables",
    async () => {
      const role = `sallyport_server_${process.pid}`;
      await old.admin.query(`create role ${role} login password 'server'; grant usage on schema test to ${role};
        grant select, insert, update, delete on all tables in schema test to ${role};
        grant usage on all sequences in schema test to ${role}`);
      try {
        const url = Object.assign(new URL(old.directUrl), { username: role, password: "server" }).href;
        const limited = old.storage({ knex: old.connect({ url }).knex, onMove: (notice) => notices.push(notice) });
        await limited.repositories.objects.watermark();
        await move();
        expect(await codeOf(limited.repositories.objects.watermark())).toBe(706);
        expect(notices).toEqual([{ place, sealedUrl: "sealed" }]);
      } finally {
        await old.admin.query(`drop owned by ${role}; drop role ${role}`);
      }
    },
    startTimeout,
  );

  test("leaves nothing to do for a migration that has waited for it", async () => {
    await old.admin.query("begin; select pg_advisory_xact_lock(hashtextextended('sallyport:test:migrations', 0))");
    const migrating = codeOf(storage.migrate());
    await old.untilWaiting("l.locktype = 'advisory'");
    await old.admin.query(`alter schema test rename to test_moved; create schema test;
      create table test.moved (place text not null, sealed_url text not null); insert into test.moved values ('', ''); commit`);
    expect(await migrating).toBe(706);
    const tables = "select tablename as name from pg_tables where schemaname = 'test'";
    expect((await old.admin.query(tables)).rows).toEqual([{ name: "moved" }]);
  });

  test(
    "takes value indexes along",
    async () => {
      await storage.alignIndexes([{ className: "File", attribute: "Name", type: "string" }]);
      await move();
      const text = "select indexname from pg_indexes where schemaname = $1 and tablename = 'objects' order by 1";
      const [here, there] = await Promise.all([
        old.admin.query(text, ["test_moved"]),
        fresh.admin.query(text, ["test"]),
      ]);
      expect(there.rows).toEqual(here.rows);
      expect(await fresh.storage().alignIndexes([{ className: "File", attribute: "Name", type: "string" }])).toEqual({
        built: [],
        removed: 0,
      });
    },
    startTimeout,
  );

  test(
    "is refused with a reason",
    async () => {
      expect(await reasonOf(move({ to: old.url, subscriber: old.url }))).toBe("The new place is the old one.");
      expect(await reasonOf(move({ present: fresh.url }))).toBe(
        "The connection string of --from leads to another database than storage.url.",
      );
      expect(await reasonOf(move({ schema: "absent" }))).toBe('The old place has no schema "absent".');
      const silent = "postgres://postgres@127.0.0.1:1/postgres";
      expect(await reasonOf(move({ from: silent }))).toMatch(/^The old server cannot be used: .*ECONNREFUSED/);
      expect(await reasonOf(move({ to: silent, subscriber: silent }))).toMatch(
        /^The new server cannot be used: .*ECONNREFUSED/,
      );
      await old.admin.query("create schema test_moved");
      expect(await reasonOf(move())).toMatch(/^The old place has the schema "test_moved" of an earlier move\./);
      await old.admin.query("drop schema test_moved");
      await fresh.admin.query("create schema test");
      expect(await reasonOf(move())).toBe('The new place already has a schema "test".');
      // The copy of another server, which can be in use by now.
      await fresh.admin.query("comment on schema test is 'Copied by sallyport-server move from 1/other. Not in use.'");
      expect(await reasonOf(move())).toBe('The new place already has a schema "test".');
      await fresh.admin.query("drop schema test");
      let begun = (): void => {};
      const hasBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const other = moving({ report: () => begun() });
      const running = other.run();
      await hasBegun;
      expect(await reasonOf(move())).toBe("Another move of the database is running.");
      await running;
      await other.close();
      expect(await move()).toMatchObject({ outcome: "already", interruption: 0 });
      const elsewhere = { place: "postgres://third", sealedUrl: "" };
      expect(await reasonOf(move({ notice: elsewhere }))).toBe(`The database was already moved to ${place}.`);
    },
    startTimeout,
  );
});

import type { Duplex } from "node:stream";
import {
  openEmbeddedEngine,
  type EmbeddedEngine,
  StatementTimeoutError,
  type EmbeddedEngineOptions,
} from "@sallyport/storage-pglite";
import type { Knex } from "knex";
import pg from "pg";
import { preparedDatabase } from "./prepared-database.ts";

const database = preparedDatabase();

describe("statement timeout", () => {
  /** Milliseconds of a test. Each starts one or two databases. */
  const waitTimeout = 120_000;
  const quiet = { warn() {}, error() {}, deprecate() {}, debug() {} };
  /** Never ends on its own. */
  const endless = "do $$ begin loop end loop; end $$";
  const hurried = "set statement_timeout = 50";

  interface Pooled {
    acquireConnection(): Promise<pg.Client>;
    releaseConnection(connection: pg.Client): Promise<void>;
    readonly connectionSettings: Omit<pg.ClientConfig, "stream"> & { stream(): Duplex };
  }

  const pooled = (knex: Knex): Pooled => knex.client as Pooled;

  const settings = { durable: false, acquireConnectionTimeout: 60_000, knex: { log: quiet } };
  const open = (options: EmbeddedEngineOptions): Promise<EmbeddedEngine> =>
    openEmbeddedEngine({ ...settings, ...options });

  describe("a statement timeout on a database in a directory", () => {
    let engine: EmbeddedEngine;
    let knex: Knex;

    beforeAll(async () => {
      engine = await open({ dataDir: await database.newCopy() });
      knex = engine.knex;
    }, waitTimeout);
    afterAll(() => engine.close());
    beforeEach(() => knex("marks").del());

    const mark = async (name: string): Promise<unknown> => knex("marks").insert({ name });
    const names = (): Promise<string[]> => knex("marks").orderBy("id").pluck("name");

    it(
      "fails the statement and its transaction, and nothing else",
      async () => {
        await mark("before");
        let waiters: Promise<unknown>[] = [];
        const work = knex.transaction(async (trx) => {
          await trx("marks").insert({ name: "rolled back" });
          waiters = ["one", "two", "three"].map(mark);
          await trx.raw("set local statement_timeout = 50");
          await expect(Promise.resolve(trx.raw(endless))).rejects.toBeInstanceOf(StatementTimeoutError);
        });
        // Knex reports why it cannot commit.
        await expect(work).rejects.toThrow("connection error");
        await Promise.all(waiters);
        expect(await names()).toEqual(["before", "one", "two", "three"]);
      },
      waitTimeout,
    );

    it(
      "repeats, each time with a fresh session",
      async () => {
        for (const name of ["first", "second"]) {
          await mark(name);
          const client = await pooled(knex).acquireConnection();
          await client.query(hurried);
          await expect(client.query(endless)).rejects.toMatchObject({ code: "57014" });
          await pooled(knex).releaseConnection(client);
          expect((await knex.raw("show statement_timeout")).rows).toEqual([{ statement_timeout: "30s" }]);
        }
        expect(await names()).toEqual(["first", "second"]);
      },
      waitTimeout,
    );

    it(
      "fails the queries that the client has queued behind the statement",
      async () => {
        const client = new pg.Client({ ...pooled(knex).connectionSettings, pipeline: true } as pg.ClientConfig);
        client.on("error", () => {});
        await client.connect();
        await client.query(hurried);
        const outcomes = await Promise.allSettled(
          [endless, "insert into marks (name) values ('behind')"].map((text) => client.query(text)),
        );
        expect(outcomes).toEqual(
          [0, 1].map(() => ({ status: "rejected", reason: expect.objectContaining({ code: "57014" }) })),
        );
        expect(await names()).toEqual([]);
      },
      waitTimeout,
    );

    it(
      "delays a new connection no longer than the timeout",
      async () => {
        const client = await pooled(knex).acquireConnection();
        await client.query("begin");
        await client.query("insert into marks (name) values ('cut off')");
        await client.query(hurried);
        const left = client.query(endless);
        const ended = client.end();
        await expect(left).rejects.toThrow("Connection terminated");
        await ended;
        await pooled(knex).releaseConnection(client);
        expect(await names()).toEqual([]);
      },
      waitTimeout,
    );

    it(
      "allows the engine to close during a restart",
      async () => {
        const dataDir = await database.newCopy();
        const closing = await open({ dataDir });
        await closing.knex("marks").insert({ name: "kept" });
        const client = await pooled(closing.knex).acquireConnection();
        await client.query(hurried);
        await expect(client.query(endless)).rejects.toMatchObject({ code: "57014" });
        await pooled(closing.knex).releaseConnection(client);
        const next = Promise.resolve(closing.knex.raw("select 1")).catch((error: Error) => error);
        await closing.close();
        await next;
        const reopened = await openEmbeddedEngine({ dataDir, ...settings });
        expect(await reopened.knex("marks").pluck("name")).toEqual(["kept"]);
        await reopened.close();
      },
      waitTimeout,
    );
  });

  describe("the effective statement timeout", () => {
    const limit = 1_000;
    let engine: EmbeddedEngine;
    let knex: Knex;

    beforeAll(async () => {
      engine = await open({ dataDir: await database.newCopy(), statementTimeout: limit });
      knex = engine.knex;
    }, waitTimeout);
    afterAll(() => engine.close());

    it(
      "is that of the engine",
      async () => {
        const started = performance.now();
        await expect(Promise.resolve(knex.raw(endless))).rejects.toMatchObject({ code: "57014" });
        expect(performance.now() - started).toBeGreaterThanOrEqual(limit);
        expect((await knex.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
      },
      waitTimeout,
    );

    it(
      "is that set by the session",
      async () => {
        const rows = await knex.transaction(async (trx) => {
          await trx.raw("set local statement_timeout = 0");
          return (await trx.raw("select 'slept' as slept from pg_sleep(?)", [(limit + 500) / 1_000])).rows;
        });
        expect(rows).toEqual([{ slept: "slept" }]);
      },
      waitTimeout,
    );

    it(
      "is unlimited in `maintain`",
      async () => {
        await knex.raw(`
        create function unhurried(id integer) returns integer language plpgsql immutable as $$
        begin
          if current_setting('statement_timeout') <> '0' then raise exception 'hurried'; end if;
          return id;
        end $$`);
        await knex.transaction(async (trx) => {
          await trx.raw("set local statement_timeout = 0");
          await trx.raw("create index on marks (unhurried(id))");
          await trx("marks").insert({ name: "sampled" });
        });
        await expect(Promise.resolve(knex.raw("analyze marks"))).rejects.toThrow("hurried");
        await engine.maintain();
        expect((await knex.raw("show statement_timeout")).rows).toEqual([{ statement_timeout: "1s" }]);
      },
      waitTimeout,
    );
  });

  it(
    "is reported to the caller on a memory database while the work completes",
    async () => {
      const { knex, close } = await open({ dataDir: "memory://", template: database.template });
      const client = await pooled(knex).acquireConnection();
      await client.query("insert into marks (name) values ('before')");
      await client.query(hurried);
      await expect(client.query("insert into marks (name) select 'done late' from pg_sleep(1)")).rejects.toMatchObject({
        code: "57014",
      });
      await pooled(knex).releaseConnection(client);
      expect(await knex("marks").orderBy("id").pluck("name")).toEqual(["before", "done late"]);
      await close();
    },
    waitTimeout,
  );
});

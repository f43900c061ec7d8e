import { once } from "node:events";
import type { Duplex } from "node:stream";
import { openEmbeddedEngine, type EmbeddedEngine } from "@sallyport/storage-pglite";
import type { Knex } from "knex";
import pg from "pg";
import { preparedDatabase } from "./prepared-database.ts";

const database = preparedDatabase();

describe("sessions", () => {
  const quiet = { warn() {}, error() {}, deprecate() {}, debug() {} };
  const dataDir = "memory://";

  interface PooledConnection extends pg.Client {
    __knex__disposed?: unknown;
  }

  interface Pooled {
    acquireConnection(): Promise<PooledConnection>;
    releaseConnection(connection: PooledConnection): Promise<void>;
    readonly connectionSettings: Omit<pg.ClientConfig, "stream"> & { stream(): Duplex };
  }

  const pooled = (knex: Knex): Pooled => knex.client as Pooled;

  describe("the single connection", () => {
    let engine: EmbeddedEngine;
    let knex: Knex;

    beforeAll(async () => {
      engine = await openEmbeddedEngine({
        dataDir,
        template: database.template,
        acquireConnectionTimeout: 30_000,
        knex: { log: quiet },
      });
      knex = engine.knex;
    }, 60_000);
    afterAll(() => engine.close());
    beforeEach(() => knex.raw("truncate marks restart identity"));

    const names = (): Promise<string[]> => knex("marks").orderBy("id").pluck("name");

    it("delays a query outside a transaction until the transaction ends", async () => {
      const order: string[] = [];
      let outside: Promise<unknown> | undefined;
      await knex.transaction(async (trx) => {
        await trx("marks").insert({ name: "inside" });
        outside = knex("marks")
          .insert({ name: "outside" })
          .then(() => order.push("outside"));
        await trx("marks").insert({ name: "inside too" });
        order.push("inside");
      });
      await outside;
      expect(order).toEqual(["inside", "outside"]);
      expect(await names()).toEqual(["inside", "inside too", "outside"]);
    });

    it("fails a query awaited by its own transaction with Knex's timeout error", async () => {
      const withTimeout = await openEmbeddedEngine({
        dataDir,
        template: database.template,
        acquireConnectionTimeout: 1_000,
        knex: { log: quiet },
      });
      const started = performance.now();
      const work = withTimeout.knex.transaction(async (trx) => {
        await trx("marks").insert({ name: "inside" });
        await withTimeout.knex("marks").insert({ name: "outside" });
      });
      await expect(work).rejects.toMatchObject({ name: "KnexTimeoutError" });
      expect(performance.now() - started).toBeGreaterThan(900);
      expect(await withTimeout.knex("marks")).toEqual([]);
      await withTimeout.close();
    }, 30_000);

    it("answers concurrent queries with their own results", async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => knex.raw("select ?::int as n", [n])));
      expect(answers.map(({ rows }) => rows[0].n)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    });

    it("gives a replaced connection a fresh session", async () => {
      const first = await pooled(knex).acquireConnection();
      await first.query("set search_path to pg_catalog");
      await first.query("create temporary table leftover (a int)");
      await first.query({ name: "kept", text: "select 1" });
      await first.query("select pg_advisory_lock(7)");
      await first.query("begin");
      await first.query("insert into public.marks (name) values ('never committed')");
      first.__knex__disposed = new Error("no longer trusted");
      await pooled(knex).releaseConnection(first);

      const [state] = (
        await knex.raw(`
      select current_setting('search_path') as path, to_regclass('pg_temp.leftover') as leftover,
        (select count(*)::int from pg_prepared_statements) as prepared,
        (select count(*)::int from pg_locks where locktype = 'advisory') as locks`)
      ).rows;
      expect(state).toEqual({ path: "public", leftover: null, prepared: 0, locks: 0 });
      expect(await names()).toEqual([]);
      const second = await pooled(knex).acquireConnection();
      expect(second).not.toBe(first);
      expect((await second.query({ name: "kept", text: "select 2 as two" })).rows).toEqual([{ two: 2 }]);
      await pooled(knex).releaseConnection(second);
    });

    it("survives a client that disconnects during a query", async () => {
      const client = await pooled(knex).acquireConnection();
      await client.query("begin");
      await client.query("insert into marks (name) values ('cut off')");
      const query = client.query("select pg_sleep(0.2)");
      const ended = client.end();
      await expect(query).rejects.toThrow("Connection terminated");
      await ended;
      await pooled(knex).releaseConnection(client);
      expect(await names()).toEqual([]);
    });

    it("survives a destroyed socket with queued queries", async () => {
      const client = await pooled(knex).acquireConnection();
      const queries = [1, 2, 3].map((n) => client.query("select $1::int, pg_sleep(0.05)", [n]));
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      const outcomes = await Promise.allSettled(queries);
      expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      await pooled(knex).releaseConnection(client);
      expect((await knex.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
    });

    it("hands the session to the newest connection", async () => {
      const older = await pooled(knex).acquireConnection();
      await older.query("begin");
      const newer = new pg.Client(pooled(knex).connectionSettings);
      newer.on("error", () => {});
      await newer.connect();
      expect((await newer.query("select count(*)::int as count from marks")).rows).toEqual([{ count: 0 }]);
      await expect(older.query("commit")).rejects.toThrow("connection error");
      await pooled(knex).releaseConnection(older);
      expect(await names()).toEqual([]);
      await newer.end();
    });

    it("answers a pipeline in order, and fails one query per error", async () => {
      const client = new pg.Client({ ...pooled(knex).connectionSettings, pipeline: true } as pg.ClientConfig);
      client.on("error", () => {});
      await client.connect();
      const answers = await Promise.allSettled(
        [4, 0, 2, 1].map((n) => client.query({ name: "ratio", text: "select 4 / $1::int as ratio", values: [n] })),
      );
      expect(
        answers.map((answer) => (answer.status === "fulfilled" ? answer.value.rows[0].ratio : answer.reason.code)),
      ).toEqual([1, "22012", 2, 4]);
      await client.end();
      expect((await knex.raw("select 1 as one")).rows).toEqual([{ one: 1 }]);
    });

    it("refuses encryption", async () => {
      const client = new pg.Client({ ...pooled(knex).connectionSettings, ssl: true });
      await expect(client.connect()).rejects.toThrow("The server does not support SSL connections");
    });

    it("refuses to cancel instead of opening a second connection", async () => {
      expect(() => knex.raw("select 1").timeout(10, { cancel: true })).toThrow("not supported");
    });

    it("keeps the event loop free during database work", async () => {
      let ticks = 0;
      const timer = setInterval(() => (ticks += 1), 10);
      await knex.raw("select pg_sleep(0.5)");
      clearInterval(timer);
      expect(ticks).toBeGreaterThan(5);
    });

    it("vacuums and analyzes", async () => {
      await knex("marks").insert({ name: "seen" });
      await engine.maintain();
      const { rows } = await knex.raw("select reltuples::int as tuples from pg_class where relname = 'marks'");
      expect(rows).toEqual([{ tuples: 1 }]);
    });

    it("dumps committed data after the open transaction ends", async () => {
      let dump: Promise<Blob> | undefined;
      await knex.transaction(async (trx) => {
        dump = engine.dump();
        await trx("marks").insert({ name: "dumped" });
      });
      const copy = await openEmbeddedEngine({ dataDir, template: await (dump as Promise<Blob>) });
      expect(await copy.knex("marks").pluck("name")).toEqual(["dumped"]);
      await copy.knex("marks").insert({ name: "of the copy" });
      await copy.close();
      expect(await names()).toEqual(["dumped"]);
    }, 30_000);
  });

  describe("close", () => {
    const open = (closeTimeout: number): Promise<EmbeddedEngine> =>
      openEmbeddedEngine({ dataDir, template: database.template, closeTimeout, knex: { log: quiet } });

    it("waits for running work", async () => {
      const engine = await open(10_000);
      const work = engine.knex.transaction(async (trx) => {
        await trx.raw("select pg_sleep(0.2)");
        return (await trx.raw("select 1 as one")).rows;
      });
      await engine.knex.raw("select 1");
      await Promise.all([engine.close(), engine.close()]);
      expect(await work).toEqual([{ one: 1 }]);
      await expect(Promise.resolve(engine.knex.raw("select 1"))).rejects.toThrow("Unable to acquire a connection");
    }, 30_000);

    it("cancels work that does not end in time", async () => {
      const engine = await open(200);
      const forgotten = await engine.knex.transaction();
      await forgotten.raw("select 1");
      await engine.close();
      await expect(Promise.resolve(forgotten.raw("select 1"))).rejects.toThrow("connection error");
    }, 30_000);

    it("cancels a running query", async () => {
      const engine = await open(200);
      const work = await engine.knex.transaction();
      const outcome = work.raw("select pg_sleep(60)").then(
        () => "finished",
        (error: Error) => error.message,
      );
      await engine.close();
      expect(await outcome).toContain("Connection terminated unexpectedly");
    }, 30_000);

    it("happens on the first fault of a memory database", async () => {
      const engine = await open(1_000);
      await engine.knex.raw("select 1");
      const socket = pooled(engine.knex).connectionSettings.stream();
      const failed = once(socket, "error");
      // A start-up packet of an unknown protocol.
      socket.write(Buffer.from([0, 0, 0, 9, 0, 9, 0, 0, 0]));
      expect((await failed)[0]).toMatchObject({ name: "EngineStoppedError", code: "ENGINE_STOPPED" });
      await expect(Promise.resolve(engine.knex.raw("select 1"))).rejects.toMatchObject({ code: "ENGINE_STOPPED" });
      await engine.close();
    }, 30_000);
  });
});

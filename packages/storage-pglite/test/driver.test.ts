import { once } from "node:events";
import { cpSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import { RefusedByStorageError } from "@sallyport/storage";
import { KnexStorage } from "@sallyport/storage-knex";
import {
  type EmbeddedEngine,
  openEmbeddedEngine,
  joinEmbeddedEngine,
  type JoinedEngine,
} from "@sallyport/storage-pglite";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import knexPkg, { type Knex } from "knex";
import pg from "pg";
import { errorFields } from "./driver-case.ts";
import { driverCases, schema } from "./driver-cases.ts";
import { preparedDatabase, useSmallBuffers } from "./prepared-database.ts";
import { scratchDirectories } from "./scratch-directories.ts";

describe("driver", () => {
  const { knex: createKnex } = knexPkg;

  describe("the embedded engine matches a Postgres server for", () => {
    let embedded: EmbeddedEngine;
    let server: RealPostgres;
    let database: ScratchDatabase;
    let real: Knex;

    beforeAll(async () => {
      [embedded, server] = await Promise.all([openEmbeddedEngine({ dataDir: "memory://" }), startRealPostgres()]);
      database = await server.createDatabase();
      real = createKnex({ client: "pg", connection: database.url, pool: { min: 1, max: 1 } });
      await Promise.all([embedded.knex.raw(schema), real.raw(schema)]);
    }, 120_000);

    afterAll(async () => {
      await Promise.all([embedded?.close(), real?.destroy()]);
      await database?.drop();
      await server?.stop();
    });

    it.each(driverCases)(
      "%s",
      async (_title, run) => {
        const outcome = (knex: Knex): Promise<unknown> =>
          run(knex).then(
            (value) => ({ value }),
            (error: unknown) => ({ error: errorFields(error) }),
          );
        const [actual, expected] = await Promise.all([outcome(embedded.knex), outcome(real)]);
        expect(actual).toEqual(expected);
      },
      30_000,
    );
  });

  describe("durability", () => {
    const newDirectory = scratchDirectories();

    let migrated: string;

    beforeAll(async () => {
      migrated = await newDirectory();
      const { knex, capabilities, close } = await openEmbeddedEngine({
        dataDir: migrated,
        durable: false,
      });
      await useSmallBuffers({ knex });
      await new KnexStorage({ knex, schema: "test", capabilities }).migrate();
      await close();
    }, 120_000);

    const inDirectory: AdapterUnderTest = {
      name: "KnexStorage over the embedded engine in a directory",
      // This check copies a directory and starts the engine twice.
      timeLimit: 150_000,
      create: async ({ clockOffset }) => {
        const dataDir = await newDirectory();
        cpSync(migrated, dataDir, { recursive: true });
        let engine = await openEmbeddedEngine({ dataDir, durable: false });
        const open = () =>
          new KnexStorage({ knex: engine.knex, schema: "test", capabilities: engine.capabilities, clockOffset });
        return {
          storage: open(),
          reopen: async () => {
            await engine.close();
            engine = await openEmbeddedEngine({ dataDir, durable: false });
            return open();
          },
          destroy: () => engine.close(),
        };
      },
    };

    test("keeps every answered write when the directory is reopened", async () => {
      const durability = checks.filter(({ needs }) => needs === "durable");
      const { results } = await runChecks(inDirectory, { checks: durability });
      expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
      expect(results.length).toBeGreaterThan(0);
    }, 180_000);

    test("reports a write that the database refuses, with the reason, and goes on", async () => {
      const dataDir = await newDirectory();
      cpSync(migrated, dataDir, { recursive: true });
      const { knex, capabilities, close } = await openEmbeddedEngine({ dataDir, durable: false });
      const storage = new KnexStorage({ knex, schema: "test", capabilities });
      const put = () => storage.repositories.records.put("sample", "one", 1);
      const failure = (call: Promise<unknown>) =>
        call.then(
          () => null,
          (error: unknown) => error,
        );
      for (const [state, reason] of [
        ["53100", "diskFull"],
        ["53200", "outOfMemory"],
        ["58030", "ioError"],
        ["P0001", "refused"],
      ]) {
        await knex.raw(`
          create or replace function refuse() returns trigger language plpgsql as
            'begin raise exception ''out of ink'' using errcode = ''${state}''; end';
          create or replace trigger refuse before insert on test.records for each row execute function refuse()`);
        const error = await failure(put());
        expect(error).toBeInstanceOf(RefusedByStorageError);
        expect(error).toMatchObject({ code: 706, reason });
      }
      await knex.raw("drop function refuse cascade");
      expect(await put()).toBe("stored");

      await knex.raw("set temp_file_limit = 0");
      expect(await failure(storage.health())).toBeInstanceOf(RefusedByStorageError);
      await knex.raw("reset temp_file_limit; set default_transaction_read_only = on");
      expect(await failure(storage.health())).toMatchObject({ code: 704, detail: "The database is read-only." });
      await knex.raw("reset default_transaction_read_only");
      await storage.health();
      await close();
    }, 60_000);
  });
});

describe("sharing", () => {
  const quiet = { warn() {}, error() {}, deprecate() {}, debug() {} };
  const database = preparedDatabase();
  const open = async (dataDir: string, limit: number): Promise<EmbeddedEngine> =>
    openEmbeddedEngine({
      dataDir,
      durable: false,
      sharing: { limit },
      knex: { log: quiet },
    });

  async function joined(dataDir: string): Promise<JoinedEngine> {
    const guest = await joinEmbeddedEngine({ dataDir, acquireConnectionTimeout: 20_000, knex: { log: quiet } });
    if (guest === undefined) throw new Error("Nothing is shared.");
    return guest;
  }

  async function client(dataDir: string): Promise<pg.Client> {
    const opened = new pg.Client({ host: dataDir, port: 5432, user: "postgres", database: "postgres" });
    opened.on("error", () => undefined);
    await opened.connect();
    return opened;
  }

  const names = ({ knex }: EmbeddedEngine): Promise<string[]> => knex("marks").orderBy("name").pluck("name");

  describe("a shared directory", () => {
    let engine: EmbeddedEngine;
    let dataDir: string;
    beforeAll(async () => {
      dataDir = await database.newCopy();
      // As left by a killed process.
      await writeFile(join(dataDir, ".s.PGSQL.5432"), "");
      engine = await open(dataDir, 60_000);
    }, 120_000);
    afterAll(() => engine.close());
    beforeEach(() => engine.knex.raw("truncate marks"));

    it("has a socket that only its user can access", async () => {
      const { mode } = await stat(join(dataDir, ".s.PGSQL.5432"));
      expect((mode & 0o777).toString(8)).toBe("600");
    });

    it("accepts writes and transactions of other clients", async () => {
      const guest = await joined(dataDir);
      await guest.knex("marks").insert({ name: "of the guest" });
      await guest.knex.transaction(async (trx) => {
        await trx("marks").insert({ name: "of its transaction" });
      });
      await expect(
        guest.knex.transaction(async (trx) => {
          await trx("marks").insert({ name: "rolled back" });
          throw new Error("on purpose");
        }),
      ).rejects.toThrow("on purpose");
      expect(await names(engine)).toEqual(["of its transaction", "of the guest"]);
      await guest.close();
    });

    it("delays its own queries for a client, and clients for its own transaction", async () => {
      const order: string[] = [];
      const guest = await joined(dataDir);
      let ofGuest: Promise<unknown> | undefined;
      await engine.knex.transaction(async (trx) => {
        ofGuest = guest.knex
          .raw("select count(*)::int as count from marks")
          .then(({ rows }) => order.push(`guest sees ${rows[0].count}`));
        await trx("marks").insert({ name: "inside" });
        await trx.raw("select pg_sleep(0.2)");
        order.push("committed");
      });
      await ofGuest;
      let own: Promise<unknown> | undefined;
      await guest.knex.transaction(async (trx) => {
        await trx("marks").insert({ name: "of the guest" });
        own = names(engine).then((found) => order.push(`own query sees ${found.length}`));
        await trx.raw("select pg_sleep(0.2)");
        order.push("guest committed");
      });
      await own;
      expect(order).toEqual(["committed", "guest sees 1", "guest committed", "own query sees 2"]);
      await guest.close();
    });

    it("keeps prepared statements and settings of one session separate from the next", async () => {
      const prepared = { name: "same name", text: "select 'own' as whose" };
      const own = engine.knex.client as unknown as {
        acquireConnection(): Promise<pg.Client>;
        releaseConnection(it: pg.Client): Promise<void>;
      };
      const first = await own.acquireConnection();
      await first.query(prepared);
      await own.releaseConnection(first);

      const guest = await client(dataDir);
      expect((await guest.query({ name: "same name", text: "select 'of the guest' as whose" })).rows).toEqual([
        { whose: "of the guest" },
      ]);
      await guest.query("set search_path to pg_catalog");
      await guest.query("create temporary table leftover (a int)");
      await guest.end();

      const second = await own.acquireConnection();
      expect((await second.query(prepared)).rows).toEqual([{ whose: "own" }]);
      const { rows } = await second.query(
        "select current_setting('search_path') as path, to_regclass('pg_temp.leftover') as leftover",
      );
      expect(rows).toEqual([{ path: "public", leftover: null }]);
      await own.releaseConnection(second);
    });

    it("rolls back a client that disconnects in a transaction", async () => {
      const guest = await client(dataDir);
      await guest.query("begin");
      await guest.query("insert into marks (name) values ('unfinished')");
      (guest as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      expect(await names(engine)).toEqual([]);
    });
  });

  describe("a client that blocks the database", () => {
    let engine: EmbeddedEngine;
    let dataDir: string;
    beforeAll(async () => {
      dataDir = await database.newCopy();
      engine = await open(dataDir, 1_000);
    }, 120_000);
    afterAll(() => engine.close());

    it("is disconnected with the reason if it keeps its transaction open", async () => {
      const guest = await client(dataDir);
      const ended = once(guest, "error");
      await guest.query("begin");
      await guest.query("insert into marks (name) values ('kept')");
      const waited = names(engine);
      expect((await ended)[0]).toMatchObject({
        code: "57P01",
        message: "another process can use the database for 1000 ms at a time",
      });
      expect(await waited).toEqual([]);
    });

    it("is disconnected if it says nothing", async () => {
      const silent = connect(join(dataDir, ".s.PGSQL.5432"));
      await once(silent, "connect");
      const second = await client(dataDir);
      expect((await second.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
      await second.end();
      expect(await names(engine)).toEqual([]);
      silent.destroy();
    });

    it("is disconnected if it uses another protocol", async () => {
      const socket = connect(join(dataDir, ".s.PGSQL.5432"));
      socket.on("error", () => undefined).write("GET / HTTP/1.1\r\n\r\n");
      socket.resume();
      await once(socket, "close");
      expect(await names(engine)).toEqual([]);
    });

    it("is not one that is idle: it has no connection between uses", async () => {
      const guest = await joined(dataDir);
      const one = async (): Promise<unknown> => (await guest.knex.raw("select 1 as one")).rows;
      expect(await one()).toEqual([{ one: 1 }]);
      expect(await names(engine)).toEqual([]);
      expect([guest.knex.client.pool.numUsed(), guest.knex.client.pool.numFree()]).toEqual([0, 0]);
      expect(await one()).toEqual([{ one: 1 }]);
      await guest.close();
    });
  });

  it("is disconnected when the engine closes, and the socket is removed", async () => {
    const dataDir = await database.newCopy();
    const engine = await open(dataDir, 60_000);
    const guest = await joined(dataDir);
    const forgotten = await guest.knex.transaction();
    await forgotten.raw("select 1");
    await engine.close();
    await expect(Promise.resolve(forgotten.raw("select 1"))).rejects.toThrow(
      /shutting down|connection error|terminated/,
    );
    await forgotten.rollback().catch(() => undefined);
    await guest.close();
    expect(await joinEmbeddedEngine({ dataDir })).toBeUndefined();
    await expect(stat(join(dataDir, ".s.PGSQL.5432"))).rejects.toThrow("ENOENT");
  }, 120_000);
});

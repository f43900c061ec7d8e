import { cp } from "node:fs/promises";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import { KnexStorage } from "@sallyport/storage-knex";
import { type EmbeddedEngine, openEmbeddedEngine } from "@sallyport/storage-pglite";
import knexPkg, { type Knex } from "knex";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { errorFields } from "./driver-case.ts";
import { driverCases, schema } from "./driver-cases.ts";
import { scratchDirectories } from "./scratch-directories.ts";

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
    await new KnexStorage({ knex, schema: "test", capabilities }).migrate();
    await close();
  }, 120_000);

  const inDirectory: AdapterUnderTest = {
    name: "KnexStorage over the embedded engine in a directory",
    // This check copies a directory and starts the engine twice.
    timeLimit: 150_000,
    create: async ({ clockOffset }) => {
      const dataDir = await newDirectory();
      await cp(migrated, dataDir, { recursive: true });
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
});

import { openEmbeddedEngine, type EmbeddedEngine } from "@sallyport/storage-pglite";
import knexPkg, { type Knex } from "knex";
import { startRealPostgres, type RealPostgres, type ScratchDatabase } from "../../storage-knex/test/real-postgres.ts";
import { errorFields } from "./driver-case.ts";
import { driverCases, schema } from "./driver-cases.ts";
import { emptyCluster } from "./empty-cluster.ts";

const { knex: createKnex } = knexPkg;

describe("the embedded engine gives what a Postgres server gives", () => {
  let embedded: EmbeddedEngine;
  let server: RealPostgres;
  let database: ScratchDatabase;
  let real: Knex;

  beforeAll(async () => {
    const template = await emptyCluster();
    [embedded, server] = await Promise.all([
      openEmbeddedEngine({ dataDir: "memory://", template }),
      startRealPostgres(),
    ]);
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

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMariadbKnex, MariadbStorage } from "@sallyport/storage-knex";
import { reproductionModule, simulate, type SimulationFailure, type World } from "@sallyport/sync-simulator";
import { openRealMariadb, type RealMariadb } from "@sallyport/test-kit/databases/mariadb";
import { administrationKey, administrator } from "../administration-fixture.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { runCommand } from "../processes/run-command.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { type SimulatedWorld, startSimulatedWorld } from "../simulated-world.ts";

const hour = 3_600_000;

/** The first and the last seed. */
type Seeds = readonly [from: number, to: number];

/** `SYNC_SEEDS`, such as `600-1000`; by default 1 to `last`. */
function chosenSeeds(last: number): Seeds {
  const [from = 1, to = last] = (process.env["SYNC_SEEDS"] ?? `1-${last}`).split("-").map(Number);
  return [from, to];
}

const began = performance.now();

/** Runs the scenarios of seeds, and prints the progress. */
async function expectNoViolation(world: World, [from, to]: Seeds): Promise<void> {
  const print = (text: string) =>
    process.stdout.write(`${Math.round((performance.now() - began) / 1_000)} s: ${text}\n`);
  for (let seed = from; seed <= to; seed += 1) {
    const options = { world, seed, devices: 2 + (seed % 4), steps: 20 };
    const failure = await simulate({ ...options, maxTries: 0 });
    if (failure !== null) {
      // Shrinking takes minutes, and a failure that depends on time does not come again.
      print(`seed ${seed} fails\n${moduleOf(failure)}`);
      throw new Error(moduleOf((await simulate({ ...options, maxTries: 60 })) ?? failure));
    }
    if (seed % 10 === 0 || seed === to) print(`seeds ${from} to ${seed}`);
  }
}

function moduleOf(failure: SimulationFailure): string {
  return reproductionModule(failure, { imports: [], expression: "world" });
}

describe("simulated devices in memory", () => {
  test(
    "1,000 scenarios show no violation",
    async () => {
      const [first, last] = chosenSeeds(1_000);
      // Tombstones slow the storage in memory down.
      for (let from = first; from <= last; from += 50) {
        const world = await startSimulatedWorld();
        await expectNoViolation(world, [from, Math.min(from + 49, last)]).finally(() => world.close());
      }
    },
    hour,
  );
});

const describeOnMariadb = (process.env["MARIADB_URL"] ?? "") === "" ? describe.skip : describe;

describeOnMariadb("simulated devices on MariaDB", () => {
  let mariadb: RealMariadb;
  let world: SimulatedWorld;
  beforeAll(async () => {
    mariadb = await openRealMariadb();
    world = await startSimulatedWorld(async () => {
      const { knex, close } = await createMariadbKnex({
        url: mariadb.url,
        connectTimeout: 5_000,
        statementTimeout: 10_000,
        pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100 },
      });
      return new MariadbStorage({ knex, database: mariadb.freshName(), onClose: close });
    });
  });
  afterAll(async () => {
    await world.close();
    await mariadb.close();
  });

  test("50 scenarios show no violation", () => expectNoViolation(world, chosenSeeds(50)), hour);
});

/** Two server processes on one Postgres, which are killed, and a database that is dumped and restored by commands. */
describe("simulated devices on Postgres", () => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const config = join(directory, "sallyport.config.json");
  const environment = { PORT: "0", LOG_LEVEL: "info", THROTTLE_IP_MAX_FAILURES: "1000000" };
  let postgres: PostgresFixture;
  let adminKey: string;
  let schema = "sallyport_demo";
  let dumps = 0;
  const servers: { process: ServerProcess; url: string }[] = [];

  const configure = () => {
    const storage = { engine: "postgres", url: postgres.url, schema, migrateOnStart: true };
    writeFileSync(config, JSON.stringify({ databases: [{ alias: "", name: "demo", storage }] }));
  };
  const start = async (index: number) => {
    const process = new ServerProcess(["serve", "--config", config], environment, directory);
    servers[index] = { process, url: await process.url() };
  };
  const command = async (...words: string[]) => {
    const { code, stderr } = await runCommand([...words, "--config", config], environment, directory);
    if (code !== 0) throw new Error(stderr);
  };
  const dumpFile = () => join(directory, `dump-${dumps}.jsonl`);

  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const seeded = await postgres.demo();
    adminKey = await administrationKey(seeded);
    await seeded.close();
    configure();
    await Promise.all([start(0), start(1)]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(servers.map(({ process }) => process.kill()));
    await postgres.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test(
    "200 scenarios show no violation",
    async () => {
      const baseUrl = "http://127.0.0.1:1";
      const send =
        (index: number): typeof fetch =>
        (input, init) =>
          fetch(String(input).replace(baseUrl, servers[index]?.url ?? ""), init);
      const world: World = {
        baseUrl,
        adminKey,
        administrator,
        // The administrator uses the first one.
        servers: [send(0), send(1)],
        kill: async (index) => {
          await servers[index]?.process.kill();
          await start(index);
        },
        backUp: async () => {
          dumps += 1;
          await command("dump", "--output", dumpFile());
        },
        restore: async () => {
          await Promise.all(servers.map(({ process }) => process.kill()));
          const replaced = schema;
          schema = `restored_${dumps}_${Date.now()}`;
          configure();
          await command("restore", "--input", dumpFile());
          await Promise.all([start(0), start(1)]);
          await postgres.sql.query(`drop schema ${replaced} cascade`);
        },
      };
      await expectNoViolation(world, chosenSeeds(200));
    },
    hour,
  );
});

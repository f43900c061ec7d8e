import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { reproductionModule, simulate, type SimulationFailure, type World } from "@sallyport/testing/devices";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import { administrationKey, administrator } from "../administration/administration-fixture.ts";
import { startSeededServer } from "../demo-server.ts";
import { openPostgresFixture } from "../postgres-fixture.ts";
import { runCommand } from "../processes/run-command.ts";
import { ServerProcess } from "../processes/server-process.ts";
import { startSimulatedWorld } from "../sync/simulated-world.ts";

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
async function expectNoViolation(
  world: World,
  [from, to]: Seeds,
  devicesOf = (seed: number) => 2 + (seed % 4),
): Promise<void> {
  const print = (text: string) =>
    process.stdout.write(`${Math.round((performance.now() - began) / 1_000)} s: ${text}\n`);
  for (let seed = from; seed <= to; seed += 1) {
    const options = { world, seed, devices: devicesOf(seed), steps: 20 };
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

/** A database server with the demo. */
interface Engine {
  /** The storage of a database or schema, in the configuration. */
  storage(name: string): object;
  /** The database or schema with the demo, and an administration key. */
  readonly demo: string;
  readonly adminKey: string;
  drop(name: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A transaction that stays open and writes elsewhere: in another database of the server, or in another schema. */
async function openStranger(url: string, database: string | null, write: string): Promise<pg.Client> {
  const place = new URL(url);
  if (database !== null) place.pathname = `/${database}`;
  const stranger = new pg.Client({ connectionString: place.href });
  await stranger.connect();
  await stranger.query(`begin; ${write}`);
  return stranger;
}

const engines: readonly (readonly [name: string, open: () => Promise<Engine>])[] = [
  [
    "Postgres",
    async () => {
      const postgres = await openPostgresFixture();
      const seeded = await postgres.demo();
      const adminKey = await administrationKey(seeded);
      await seeded.close();
      const strangers = [
        await openStranger(postgres.url, "postgres", "select txid_current()"),
        await openStranger(postgres.url, null, "create table public.elsewhere (number integer)"),
      ];
      return {
        storage: (schema) => ({ engine: "postgres", url: postgres.url, schema, migrateOnStart: true }),
        demo: "sallyport_demo",
        adminKey,
        drop: (schema) => postgres.sql.query(`drop schema ${schema} cascade`),
        close: async () => {
          for (const stranger of strangers) await stranger.end();
          await postgres.close();
        },
      };
    },
  ],
  [
    "MariaDB",
    async () => {
      const mariadb = await openRealMariadb();
      const storage = (database: string) => ({
        engine: "mariadb",
        url: new URL(database, mariadb.url.replace("mysql:", "mariadb:")).href,
        migrateOnStart: true,
      });
      const [demo, second] = [mariadb.freshName(), mariadb.freshName()];
      const seeded = await startSeededServer([storage(demo), storage(second)]);
      const adminKey = await administrationKey(seeded);
      await seeded.close();
      return {
        storage,
        demo,
        adminKey,
        drop: (database) => mariadb.admin.query(`drop database ${database}`),
        close: () => mariadb.close(),
      };
    },
  ],
];

const isHere = ([name]: (typeof engines)[number]) => name !== "MariaDB" || (process.env["MARIADB_URL"] ?? "") !== "";

/** Two server processes on one database, which are killed, and a database that is dumped and restored by commands. */
describe.each(engines.filter(isHere))("simulated devices on %s", (_name, open) => {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const config = join(directory, "sallyport.config.json");
  const environment = { PORT: "0", LOG_LEVEL: "info", THROTTLE_IP_MAX_FAILURES: "1000000" };
  let engine: Engine;
  let current: string;
  let dumps = 0;
  const servers: { process: ServerProcess; url: string }[] = [];

  const configure = () =>
    writeFileSync(
      config,
      JSON.stringify({ databases: [{ alias: "", name: "demo", storage: engine.storage(current) }] }),
    );
  const start = async (index: number) => {
    const process = new ServerProcess(["serve", "--config", config], environment, directory);
    servers[index] = { process, url: await process.url() };
  };
  const command = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCommand([...words, "--config", config], environment, directory);
    if (code !== 0) throw new Error(stdout + stderr);
  };
  // The bytes of the demo's files stayed with the server that has seeded it.
  const verify = () => command("verify", "--no-files");
  const dumpFile = () => join(directory, `dump-${dumps}.jsonl`);

  beforeAll(async () => {
    engine = await open();
    current = engine.demo;
    configure();
    await Promise.all([start(0), start(1)]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(servers.map(({ process }) => process.kill()));
    if (current !== engine.demo) await engine.drop(current);
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test(
    "200 scenarios of six devices show no violation",
    async () => {
      const baseUrl = "http://127.0.0.1:1";
      const send =
        (index: number): typeof fetch =>
        (input, init) =>
          fetch(String(input).replace(baseUrl, servers[index]?.url ?? ""), init);
      const world: World = {
        baseUrl,
        adminKey: engine.adminKey,
        administrator,
        // The administrator uses the first one.
        servers: [send(0), send(1)],
        kill: async (index) => {
          await servers[index]?.process.kill();
          await verify();
          await start(index);
        },
        backUp: async () => {
          dumps += 1;
          await command("dump", "--output", dumpFile());
        },
        restore: async () => {
          await Promise.all(servers.map(({ process }) => process.kill()));
          const replaced = current;
          current = `restored_${dumps}_${Date.now()}`;
          configure();
          await command("restore", "--input", dumpFile());
          await verify();
          await Promise.all([start(0), start(1)]);
          await engine.drop(replaced);
        },
      };
      await expectNoViolation(world, chosenSeeds(200), () => 6);
      await verify();
    },
    hour,
  );
});

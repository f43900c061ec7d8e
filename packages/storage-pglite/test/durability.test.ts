import { cp } from "node:fs/promises";
import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import { KnexStorage } from "@sallyport/storage-knex";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { emptyCluster } from "./empty-cluster.ts";
import { scratchDirectories } from "./scratch-directories.ts";

const newDirectory = scratchDirectories();

let migrated: string;

beforeAll(async () => {
  migrated = await newDirectory();
  const { knex, capabilities, close } = await openEmbeddedEngine({
    dataDir: migrated,
    durable: false,
    template: await emptyCluster(),
  });
  await new KnexStorage({ knex, schema: "test", capabilities }).migrate();
  await close();
}, 120_000);

const inDirectory: AdapterUnderTest = {
  name: "KnexStorage over the embedded engine in a directory",
  // It copies a directory and starts the engine twice.
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

test("what was answered is there when the directory is opened again", async () => {
  const durability = checks.filter(({ needs }) => needs === "durable");
  const { results } = await runChecks(inDirectory, { checks: durability });
  expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
  expect(results.length).toBeGreaterThan(0);
}, 180_000);

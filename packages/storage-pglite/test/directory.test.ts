import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DirectoryLockedError, EngineStoppedError, openEmbeddedEngine } from "@sallyport/storage-pglite";
import { preparedDatabase } from "./prepared-database.ts";
import { startScript } from "./processes/start-script.ts";
import { scratchDirectories } from "./scratch-directories.ts";

const quiet = { warn() {}, error() {}, deprecate() {}, debug() {} };
const newDirectory = scratchDirectories();

const database = preparedDatabase();

describe("a database directory", () => {
  it("is created with its parents, keeps committed data, and contains only the cluster after close", async () => {
    const dataDir = join(await newDirectory(), "not", "there yet");
    const first = await openEmbeddedEngine({ dataDir, template: database.template });
    await first.knex.raw("create table kept as select 1 as one");
    expect((await readdir(dataDir)).toSorted()).toEqual(["cluster", "lock", expect.stringMatching(/^lock\..*\.sock$/)]);
    await first.close();
    expect(await readdir(dataDir)).toEqual(["cluster"]);
    const second = await openEmbeddedEngine({ dataDir });
    expect(await second.knex("kept")).toEqual([{ one: 1 }]);
    await second.close();
  }, 60_000);

  it("starts from a template, once", async () => {
    const dataDir = await newDirectory();
    await (await openEmbeddedEngine({ dataDir, template: database.template, durable: false })).close();
    await expect(openEmbeddedEngine({ dataDir, template: database.template })).rejects.toThrow(
      "already contains a database",
    );
    const engine = await openEmbeddedEngine({ dataDir });
    expect(await engine.knex("marks")).toEqual([]);
    await engine.close();
  }, 60_000);

  it("ignores an interrupted creation", async () => {
    const dataDir = await newDirectory();
    await mkdir(join(dataDir, "cluster.new"));
    await writeFile(join(dataDir, "cluster.new", "PG_VERSION"), "18\n");
    const engine = await openEmbeddedEngine({ dataDir, template: database.template });
    expect(await engine.knex("marks")).toEqual([]);
    await engine.close();
    expect(await readdir(dataDir)).toEqual(["cluster"]);
  }, 60_000);

  it("is refused to a second engine of the same process, and free after the first one closes", async () => {
    const dataDir = await database.newCopy();
    const first = await openEmbeddedEngine({ dataDir });
    const refusal: unknown = await openEmbeddedEngine({ dataDir }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DirectoryLockedError);
    expect(refusal).toMatchObject({
      code: "DIRECTORY_LOCKED",
      directory: dataDir,
      lockFile: join(dataDir, "lock"),
      pid: process.pid,
    });
    await first.close();
    await (await openEmbeddedEngine({ dataDir })).close();
  }, 60_000);

  it("reports why a damaged database does not start, and is free again", async () => {
    const dataDir = await database.newCopy();
    await writeFile(join(dataDir, "cluster", "PG_VERSION"), "9.6\n");
    for (const _attempt of ["first", "second"]) {
      const refusal: unknown = await openEmbeddedEngine({ dataDir }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(EngineStoppedError);
      expect((refusal as Error).message).toContain("incompatible");
    }
    expect(await readdir(dataDir)).toEqual(["cluster"]);
  }, 60_000);
});

describe("committed data exists", () => {
  it("immediately after kill -9 during writes", async () => {
    const dataDir = await database.newCopy();
    const writer = startScript("write-until-killed.mjs", dataDir);
    let acknowledged = 0;
    while (acknowledged < 300) acknowledged = Number(await writer.line());
    await expect(openEmbeddedEngine({ dataDir })).rejects.toMatchObject({ pid: writer.pid });
    await writer.kill();

    const engine = await openEmbeddedEngine({ dataDir });
    const pairs: { pair: number; halves: number }[] = (
      await engine.knex.raw("select pair, count(*)::int as halves from pairs group by pair order by pair")
    ).rows;
    expect(pairs).toEqual(pairs.map((_, index) => ({ pair: index + 1, halves: 2 })));
    expect(pairs.length).toBeGreaterThanOrEqual(acknowledged);
    await engine.knex.raw("reindex table pairs");
    await engine.close();
  }, 60_000);

  it("after the process exits without a close", async () => {
    const dataDir = await database.newCopy();
    expect(await startScript("open-and-exit.mjs", dataDir).end()).toBe(0);
    const engine = await openEmbeddedEngine({ dataDir });
    expect(await engine.knex("used")).toEqual([{ one: 1 }]);
    await engine.close();
  }, 60_000);

  it("after the disk refuses a write and the next query restarts the database", async () => {
    const dataDir = await database.newCopy();
    const log = join(dataDir, "cluster", "pg_wal");
    const engine = await openEmbeddedEngine({ dataDir, knex: { log: quiet }, acquireConnectionTimeout: 30_000 });
    const write = async (name: string): Promise<unknown> => engine.knex("marks").insert({ name });
    await write("before");
    await rename(log, `${log}.gone`);
    await expect(
      Promise.resolve(engine.knex.raw("select pg_switch_wal()")).then(() => write("lost")),
    ).rejects.toMatchObject({ severity: "PANIC" });
    await expect(write("lost too")).rejects.toMatchObject({ code: "ENGINE_STOPPED" });
    await rm(log, { recursive: true, force: true });
    await rename(`${log}.gone`, log);
    await write("after");
    expect(await engine.knex("marks").pluck("name")).toEqual(["before", "after"]);
    await engine.close();
  }, 60_000);
});

describe("the write-ahead log", () => {
  it.each([
    { durable: true, fsync: "on" },
    { durable: false, fsync: "off" },
  ])(
    "is synchronized as configured: $durable",
    async ({ durable, fsync }) => {
      const engine = await openEmbeddedEngine({ dataDir: await database.newCopy(), durable });
      const { rows } = await engine.knex.raw(
        "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')",
      );
      expect(
        Object.fromEntries(rows.map(({ name, setting }: { name: string; setting: string }) => [name, setting])),
      ).toEqual({ fsync, synchronous_commit: "on", full_page_writes: "on" });
      await engine.close();
    },
    60_000,
  );

  it("does not grow without a limit", async () => {
    const dataDir = await database.newCopy();
    const engine = await openEmbeddedEngine({ dataDir, durable: false, checkpointBytes: 16 * 1024 * 1024 });
    for (let round = 0; round < 12; round += 1) {
      await engine.knex.raw(
        "insert into marks (name) select repeat(md5(n::text), 30) from generate_series(1, 10000) n",
      );
    }
    const [written] = (await engine.knex.raw("select (pg_current_wal_lsn() - '0/0')::bigint / 16777216 as segments"))
      .rows;
    const segments = (await readdir(join(dataDir, "cluster", "pg_wal"))).filter((name) => /^[0-9A-F]{24}$/.test(name));
    expect(Number(written.segments)).toBeGreaterThan(8);
    expect(segments.length).toBeLessThanOrEqual(6);
    await engine.close();
  }, 60_000);
});

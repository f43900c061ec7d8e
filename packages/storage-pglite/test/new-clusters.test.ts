import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { KnexStorage } from "@sallyport/storage-knex";
import { type EmbeddedEngine, openEmbeddedEngine, preparedSchemas } from "@sallyport/storage-pglite";
import { type NewCluster, newCluster, preparedFiles } from "../src/cluster/new-cluster.ts";
import { archiveOf, filesOf } from "../src/cluster/tar-archive.ts";
import { scratchDirectories } from "./scratch-directories.ts";

const newDirectory = scratchDirectories();

/** Opens an engine for some work. */
async function using<T>(dataDir: string, work: (engine: EmbeddedEngine) => Promise<T>): Promise<T> {
  const engine = await openEmbeddedEngine({ dataDir, durable: false });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

async function rowsOf<Row>({ knex }: EmbeddedEngine, text: string): Promise<Row[]> {
  return ((await knex.raw(text)) as { readonly rows: Row[] }).rows;
}

/** The number of the cluster, which its control file and its log have, too. */
async function identityOf(cluster: string, engine: EmbeddedEngine): Promise<string> {
  const [control] = await rowsOf<{ id: string; log: string }>(
    engine,
    "select system_identifier::text as id, pg_walfile_name(pg_current_wal_lsn()) as log from pg_control_system()",
  );
  const places = [join("pg_wal", control?.log ?? ""), join("global", "pg_control")];
  const [log, file] = await Promise.all(places.map((path) => readFile(join(cluster, path))));
  expect([file?.readBigUInt64LE(0), log?.readBigUInt64LE(24)].map(String)).toEqual([control?.id, control?.id]);
  return control?.id ?? "";
}

/** The numbers of bytes that two copies of a cluster have in common and not, by path. */
function differences(one: NewCluster | undefined, other: NewCluster | undefined): Map<string, number> {
  const others = new Map(other?.files.map(({ path, data }) => [path, data]));
  const counted = one?.files.map(({ path, data }) => {
    const same = others.get(path);
    return [path, data.reduce((count, byte, index) => count + (byte === same?.[index] ? 0 : 1), 0)] as const;
  });
  return new Map(counted?.filter(([, count]) => count > 0));
}

describe("new databases", () => {
  it("have an identity of their own, and keep it", async () => {
    const seen: string[] = [];
    for (const dataDir of [await newDirectory(), await newDirectory()]) {
      const identity = await using(dataDir, (engine) => identityOf(join(dataDir, "cluster"), engine));
      seen.push(identity);
      expect(await using(dataDir, (engine) => identityOf(join(dataDir, "cluster"), engine))).toBe(identity);
    }
    const system = "select system_identifier::text as id from pg_control_system()";
    for (const _copy of ["first", "second"])
      seen.push(...(await using("memory://", (engine) => rowsOf<{ id: string }>(engine, system))).map(({ id }) => id));
    expect(new Set(seen).size).toBe(4);
  }, 60_000);

  it("differ in the number of the cluster, in the one beside it, and in the checksum over both", async () => {
    const different = differences(await newCluster(undefined), await newCluster(undefined));
    const [log] = [...different.keys()].filter((path) => path.startsWith("pg_wal/"));
    expect([...different.keys()].toSorted()).toEqual(["global/pg_control", log]);
    // 8, 32 and 4 bytes, of which one in 256 is the same by chance.
    expect(different.get("global/pg_control")).toBeGreaterThan(36);
    expect(different.get("global/pg_control")).toBeLessThanOrEqual(44);
    expect(different.get(log ?? "")).toBeLessThanOrEqual(8);
  });

  it("are migrated already, for as many storages as the demo has databases", async () => {
    await using("memory://", async (engine) => {
      const { knex, capabilities } = engine;
      const storages = ["one", "two", "three"].map(
        (schema) => new KnexStorage({ knex, schema, capabilities, preparedSchemas }),
      );
      const first = await storages[0]?.migrate();
      const names = "select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema$)' order by 1";
      expect(await rowsOf(engine, names)).toEqual([
        { name: "one" },
        { name: "public" },
        { name: `${preparedSchemas}2` },
      ]);
      for (const storage of storages.slice(1)) expect(await storage.migrate()).toEqual(first);
      expect((await rowsOf<{ name: string }>(engine, names)).map(({ name }) => name)).toEqual([
        "one",
        "public",
        "three",
        "two",
      ]);
      const ids = storages.map((storage) =>
        storage.repositories.objects.insert([{ className: "File", attributes: {}, links: {} }]),
      );
      expect((await Promise.all(ids)).map(([stored]) => stored?.id)).toEqual(["1", "1", "1"]);
      for (const storage of storages)
        expect((await storage.repositories.model.load()).classes.length).toBeGreaterThan(4);
    });
  }, 60_000);
});

describe("the prepared cluster", () => {
  it("is refused if its archive has changed", async () => {
    const directory = await newDirectory();
    const place = (name: string) => pathToFileURL(join(directory, name));
    const copy = { archive: place("cluster.tar.gz"), digests: place("cluster.json") };
    expect(await newCluster(undefined, copy)).toBeUndefined();
    await copyFile(preparedFiles.archive, copy.archive);
    await copyFile(preparedFiles.digests, copy.digests);
    expect((await newCluster(undefined, copy))?.files.map(({ path }) => path)).toContain("PG_VERSION");
    const bytes = await readFile(copy.archive);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(copy.archive, bytes);
    await expect(newCluster(undefined, copy)).rejects.toThrow("cluster.tar.gz is damaged");
  });
});

describe("an archive", () => {
  const files = [
    { path: "folder", isDirectory: true, data: new Uint8Array(0) },
    { path: "folder/empty", isDirectory: false, data: new Uint8Array(0) },
    { path: "folder/full", isDirectory: false, data: new Uint8Array(1_000).fill(7) },
  ];

  it("has the files that were put into it", () => {
    expect(filesOf(archiveOf(files)).map((file) => ({ ...file, data: new Uint8Array(file.data) }))).toEqual(files);
  });

  it("is refused if it is damaged or cut off", () => {
    const archive = archiveOf(files);
    expect(() => filesOf(archive.subarray(0, 2_000))).toThrow("incomplete");
    archive[0] = 65;
    expect(() => filesOf(archive)).toThrow("damaged");
  });
});

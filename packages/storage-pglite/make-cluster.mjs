/**
 * Writes `data/cluster.tar.gz`, the cluster that new embedded databases start from: with schemas that have all tables of
 * this version and no content. A copy takes a fraction of the time and memory of `initdb` and the migrations. Does
 * nothing if the file was made from the same engine and the same code.
 *
 *     node packages/storage-pglite/make-cluster.mjs
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  mkdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "../..");
const data = join(import.meta.dirname, "data");
const archive = join(data, "cluster.tar.gz");
const digests = join(data, "cluster.json");

/** As many as the demo has databases. */
const schemas = 2;

const sha256 = (content) => createHash("sha256").update(content).digest("hex");

/** A digest of everything that the content depends on. */
function digestOfSources() {
  const folders = ["packages/storage-knex/dist", "packages/storage-pglite/dist"];
  const code = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith(".js"))
      .toSorted()
      .map((path) => sha256(readFileSync(join(root, folder, path)))),
  );
  const engine = fileURLToPath(new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite")));
  return sha256([...code, ...[engine, import.meta.filename].map((path) => sha256(readFileSync(path)))].join("\n"));
}

function isCurrent(source) {
  if (!existsSync(archive) || !existsSync(digests)) return false;
  return JSON.parse(readFileSync(digests, "utf8")).source === source;
}

/** Bytes that Postgres reads of the log at once. */
const pageSize = 8_192;

/** The bytes of a file, of a segment of the write-ahead log without the empty pages at its end. */
function contentOf(path) {
  const content = readFileSync(path);
  if (basename(dirname(path)) !== "pg_wal") return content;
  const last = content.findLastIndex((byte) => byte !== 0);
  return content.subarray(0, Math.ceil((last + 1) / pageSize) * pageSize);
}

/** The files of a folder as parts of an archive. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ entry, path }) => ({
      path: path.slice(folder.length + 1).replaceAll("\\", "/"),
      isDirectory: entry.isDirectory(),
      data: entry.isDirectory() ? new Uint8Array(0) : contentOf(path),
    }));
}

async function make(source) {
  const { KnexStorage } = await import("@sallyport/storage-knex");
  const { openEmbeddedEngine, preparedSchemas } = await import("./dist/index.js");
  const { archiveOf } = await import("./dist/cluster/tar-archive.js");
  rmSync(data, { recursive: true, force: true });
  const dataDir = mkdtempSync(join(tmpdir(), "sallyport-cluster-"));
  try {
    const { knex, capabilities, close } = await openEmbeddedEngine({ dataDir, durable: false });
    for (let number = 1; number <= schemas; number += 1) {
      const storage = new KnexStorage({ knex, schema: `${preparedSchemas}${number}`, capabilities });
      await storage.migrate([]);
      await storage.close();
    }
    // The engine has one session, and can make no further database from these. They are two thirds of the files.
    await knex.raw("update pg_database set datistemplate = false where datname <> 'postgres'");
    for (const name of ["template0", "template1"]) await knex.raw(`drop database ${name}`);
    // The start of the engine initializes all of them, and the memory stays. The default is 128 MB.
    await knex.raw("alter system set shared_buffers = '32MB'");
    // The log of the migrations is not needed: a segment with nothing but the last checkpoint is much smaller.
    await knex.raw("select pg_switch_wal()");
    await knex.raw("checkpoint");
    const { rows } = await knex.raw("select pg_walfile_name(pg_current_wal_lsn()) as segment");
    // Closing writes everything to the files, so that a copy starts without a recovery.
    await close();
    const cluster = join(dataDir, "cluster");
    for (const { name } of readdirSync(join(cluster, "pg_wal"), { withFileTypes: true }).filter((each) =>
      each.isFile(),
    ))
      if (name !== rows[0].segment) rmSync(join(cluster, "pg_wal", name));
    const packed = gzipSync(archiveOf(filesIn(cluster)), { level: 9 });
    mkdirSync(data, { recursive: true });
    for (const [path, content] of [
      [archive, packed],
      [digests, `${JSON.stringify({ sha256: sha256(packed), source }, null, 2)}\n`],
    ]) {
      writeFileSync(`${path}.${process.pid}.new`, content);
      renameSync(`${path}.${process.pid}.new`, path);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const source = digestOfSources();
if (!isCurrent(source)) await make(source);

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { loadConfiguration, startServer } from "../../src/index.ts";
import { callIn } from "../client.ts";
import { modes } from "../modes.ts";
import { openSession } from "../open-session.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";

/** Texts that are long enough to be drawn at random: keys, digests, ids, salts, numbers of clusters. */
const drawn = /[\w+/=-]{12,}/g;

const isDate = /^\d{4}-\d\d-\d\d/;

/** Places where installs of the demo agree: its content, and what tells its users, the client of the tests and the migrations apart. */
const common = [
  "app_keys.digest",
  "channels.accepted",
  "cipher_blocks.client_key",
  "custom_accounts.id",
  "file.value",
  "knownClientKey.id",
  "knownClientKey.owner",
  "migrations.name",
  "objects.attributes",
  "objects.uuid",
  "throttle.key",
  "userName.id",
  "userNameScripts.owner",
  "userNameSkeleton.id",
];

/** Places of what each install draws. */
const own = [
  "accounts.secret",
  "administration.key",
  "app_keys.id",
  "channels.session",
  "channels.wrapped_key",
  "cipher_blocks.digest",
  "cluster",
  "custom_accounts.secret",
  "file.id",
  "keyRing.value",
  "master.key",
  "sessions.digest",
  "syncGeneration.value",
];

interface Found {
  /** A column, with the kind of its record, or a file. */
  readonly place: string;
  readonly text: string;
}

/**
 * The texts that can be drawn, in a new install of the demo after work that needs keys of each kind.
 */
async function textsOf(directory: string): Promise<readonly Found[]> {
  const environment = { ...testEnvironment, DATA_DIR: directory, FILES_DIRECTORY: join(directory, "files") };
  const server = await startServer(loadConfiguration({ environment }), undefined, undefined, undefined, tuningOf({}));
  for (const alias of ["", "second"])
    for (const mode of modes) {
      const session = await openSession(server, mode, "demo", { alias });
      const sync = { method: "POST", body: { syncVersion: "0", limit: 1 } } as const;
      const { code } = await callIn(server, session, `${alias && "/second"}/v1/sync/sales`, sync);
      expect(code).toBe("0");
    }
  await server.close();
  const found: Found[] = [];
  const note = (place: string, value: unknown): void => {
    for (const text of JSON.stringify(value).match(drawn) ?? [])
      if (/\d/.test(text) && !isDate.test(text)) found.push({ place, text });
  };
  const engine = await openEmbeddedEngine({ dataDir: directory, durable: false });
  const rows = async <Row>(text: string) => ((await engine.knex.raw(text)) as { readonly rows: Row[] }).rows;
  for (const row of await rows("select system_identifier::text as id from pg_control_system()")) note("cluster", row);
  const tables = await rows<{ schema: string; name: string }>(
    "select schemaname as schema, tablename as name from pg_tables where schemaname ~ '^sallyport'",
  );
  for (const { schema, name } of tables)
    for (const row of await rows<Record<string, unknown>>(`select to_jsonb(t) as row from ${schema}.${name} t`))
      for (const [column, value] of Object.entries(row["row"] as Record<string, unknown>))
        note(name === "records" ? `${(row["row"] as { kind: string }).kind}.${column}` : `${name}.${column}`, value);
  await engine.close();
  for (const file of await readdir(directory, { withFileTypes: true }))
    if (file.isFile()) note(file.name, await readFile(join(directory, file.name), "utf8"));
  return found;
}

test("two new installs have no key, salt, digest or number of a database in common", async () => {
  const directories = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), "sallyport-install-"))));
  try {
    const [one, other] = [await textsOf(directories[0] ?? ""), await textsOf(directories[1] ?? "")];
    expect(one.map(({ place }) => place)).toEqual(expect.arrayContaining(own));
    const others = new Set(other.map(({ text }) => text));
    const places = new Set(one.filter(({ text }) => others.has(text)).map(({ place }) => place));
    expect([...places].toSorted()).toEqual(common);
  } finally {
    await Promise.all(directories.map((directory) => rm(directory, { recursive: true })));
  }
}, 300_000);

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../../../../..");
const run = promisify(execFile);

/**
 * The changes of the next version: a table, a column in the most used tables, and a newer function that writes into the
 * table.
 */
const addition = `
  import { migrations as former } from "./former-migrations.js";

  const wider = {
    name: "0003-visits",
    statements: ({ accounts, objects, records, schema, sessions }) => [
      \`create table "\${schema}".visits (digest bytea)\`,
      ...[accounts, objects, records, sessions].map((table) => \`alter table \${table} add column note text\`),
    ],
  };
  const isFunction = ({ number }) => number !== undefined;
  const newer = ({ name, number, statements }) => ({
    name,
    number: number + 1,
    statements: (tables) =>
      statements(tables).map((text) =>
        text.replace(/ end\\s+\\$\\$$/, \` insert into "\${tables.schema}".visits values ($1); $&\`),
      ),
  });
  export const migrations = [
    ...former.filter((each) => !isFunction(each)),
    wider,
    ...former.filter(isFunction).map((each) => (each.name === "open_session" ? newer(each) : each)),
  ];`;

/** Builds the server package in this folder as its next version; resolves with the path of its program. */
export async function buildNextVersion(folder: string, version: string): Promise<string> {
  const isBuilt = (path: string) =>
    !/\/(?:src|test|node_modules|dist\/package)$|\.(?:d\.ts|map|tsbuildinfo)$/.test(path);
  for (const part of ["LICENSE", "packages", "apps/console", "apps/server"])
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: isBuilt });
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@sallyport"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@sallyport" && name !== ".bin") symlinkSync(join(root, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(folder, "packages")))
    symlinkSync(join(folder, "packages", name), join(modules, "@sallyport", name));

  const migrations = join(folder, "packages/storage-knex/dist/dialects/postgres/migrations");
  renameSync(join(migrations, "migrations.js"), join(migrations, "former-migrations.js"));
  writeFileSync(join(migrations, "migrations.js"), addition);
  const description = join(folder, "apps/server/package.json");
  writeFileSync(description, JSON.stringify({ ...JSON.parse(readFileSync(description, "utf8")), version }));
  await run(process.execPath, [join(folder, "apps/server/bundle.mjs")], { cwd: folder });
  return join(folder, "apps/server/dist/package/dist/main.js");
}

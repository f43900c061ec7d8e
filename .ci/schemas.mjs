/**
 * Writes the schema of the current version, for each dialect, into the schema folder: one file for each version that
 * changes the schema. Tests upgrade from each of them.
 *
 *     node .ci/schemas.mjs [--check] [--folder <folder>]
 *
 * `--check` writes nothing. It fails if a recorded migration has changed, if a function has changed without a new
 * number, or if no file contains the current schema.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builtInClasses } from "@sallyport/storage";
import { format } from "mysql2";
import pg from "pg";

const root = join(import.meta.dirname, "..");
const { values: options } = parseArgs({ options: { check: { type: "boolean" }, folder: { type: "string" } } });
const folder = options.folder ?? join(root, "packages/storage-knex/test/schemas");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const isReleased = !readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`## [${version}] - Unreleased`);

/** The name of the schema, or of the MariaDB database, in the files. */
const name = "sallyport";

const dialects = {
  postgres: {
    create: `create schema "${name}"`,
    inline: ({ text, values }) => text.replaceAll(/\$(\d)/g, (_, place) => pg.escapeLiteral(values[place - 1])),
  },
  mariadb: {
    create: `create database \`${name}\` character set utf8mb4 collate utf8mb4_nopad_bin;\nuse \`${name}\``,
    inline: ({ sql, values }) => format(sql, values),
  },
};

/** Maps the heading of each step (`schema`, `migration <name>` or `functions <name> <number>`) to its SQL. */
async function stepsOf(dialect) {
  const module = (path) => import(`../packages/storage-knex/dist/dialects/${dialect}/${path}.js`);
  const { migrations } = await module("migrations/migrations");
  const { migrationsTable } = await module("migrator");
  const tables = (await module("tables")).tablesOf(name);
  const { create, inline } = dialects[dialect];
  const steps = migrations.map(({ name: step, number, statements }) => [
    number === undefined ? `migration ${step}` : `functions ${step} ${number}`,
    [
      ...statements(tables, builtInClasses).map((each) => (typeof each === "string" ? each : inline(each))),
      `insert into ${tables.migrations} (name, number) values ('${step}', ${number ?? 1})`,
    ],
  ]);
  return new Map(
    [["schema", [create, migrationsTable(tables)]], ...steps].map(([heading, texts]) => [
      heading,
      texts.map((text) => `${text};\n`).join(""),
    ]),
  );
}

const textOf = (steps) => Array.from(steps, ([heading, text]) => `-- ${heading}\n${text}`).join("\n");

function parse(text) {
  const parts = text.split(/^-- (schema|migration \S+|functions \S+ \d+)\n/m).slice(1);
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1].trimEnd() + "\n"]] : [])));
}

/** The differences that break an upgrade from a former schema. */
function faultsOf(former, present) {
  const numbers = new Map(Array.from(present.keys(), (heading) => heading.split(" ").slice(1)));
  return Array.from(former, ([heading, text]) => {
    const [kind, step, number] = heading.split(" ");
    if (present.has(heading)) return present.get(heading) === text ? [] : [`${heading} has changed`];
    if (kind === "functions" && Number(numbers.get(step)) > Number(number)) return [];
    return [`${heading} is missing`];
  }).flat();
}

const faults = [];
for (const dialect of Object.keys(dialects)) {
  const steps = await stepsOf(dialect);
  const text = textOf(steps);
  const ending = `.${dialect}.sql`;
  const current = `${version}${ending}`;
  const files = readdirSync(folder).filter((file) => file.endsWith(ending));
  const isOpen = (file) => file === current && !isReleased && options.check !== true;
  const kept = files.filter((file) => !isOpen(file));
  for (const file of kept)
    faults.push(
      ...faultsOf(parse(readFileSync(join(folder, file), "utf8")), steps).map((fault) => `${file}: ${fault}`),
    );
  const isKept = kept.some((file) => readFileSync(join(folder, file), "utf8") === text);
  if (isKept && (kept.includes(current) || !files.includes(current))) continue;
  if (options.check === true || (isReleased && files.includes(current)))
    faults.push(`${current}: it is not the schema of this version`);
  else writeFileSync(join(folder, current), text);
}

if (faults.length > 0) {
  const remedy = isReleased
    ? `${version} is released, so its migrations never change. Add a migration, or give a changed function a higher number. Raise the version with a changeset and "npm run release:version", then run "npm run schemas".`
    : `${version} is not released. If only its own migrations and functions have changed, run "npm run schemas". The schema of an earlier version never changes: add a migration, or give a changed function a higher number.`;
  console.error(`${faults.join("\n")}\n${remedy}`);
  process.exitCode = 1;
}

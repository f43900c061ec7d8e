/**
 * Prints metrics of the code and fails if one exceeds its bound. Bounds are only ever lowered.
 *
 *     node .ci/shape.mjs
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { areas } from "./mutants/draw.mjs";
import { reference } from "./mutants/reference.mjs";

const root = join(import.meta.dirname, "..");
const core = join(root, "packages/core/src");

/** The metrics with their maximum values. */
const bounds = {
  "source files per 1,000 lines": 11,
  "source files in one folder": 24,
  "files in one folder of tests": 26,
  "repositories of the storage port": 14,
  "methods of the repositories": 75,
  "methods of the kernel of storages": 15,
  "source files of storage-knex": 118,
  "parts of folders that need each other": 0,
  "places of mutants that are gone": 0,
  "settings of the server": 143,
};

/** Paths of all TypeScript files below a folder. */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return ["dist", "node_modules", "test", "test-kit", "template"].includes(entry.name) ? [] : filesBelow(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** Paths of the TypeScript files in the folders of tests. Those beside a source are at home there. */
function testFiles() {
  const options = { withFileTypes: true, recursive: true };
  const packages = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  const folders = packages.map((each) => join(each, "test")).filter((each) => existsSync(each));
  const entries = folders.flatMap((folder) => readdirSync(folder, options));
  return entries
    .filter((entry) => entry.isFile() && /\.m?ts$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

const sources = new Map(
  ["packages", "apps"]
    .flatMap((each) => filesBelow(join(root, each)))
    .map((path) => [path, readFileSync(path, "utf8")]),
);
const lines = (text) => text.split("\n").length - 1;
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const tally = (keys) => keys.reduce((counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1), new Map());

function importsOf(path) {
  const found = sources.get(path)?.matchAll(/(?:from|import) "(\.[^"]+)"/g) ?? [];
  return Array.from(found, ([, specifier]) => join(dirname(path), specifier));
}

/** The number of repositories of the storage port, and of their methods. */
function port() {
  const text = sources.get(join(root, "packages/storage/src/ports/repositories.ts"));
  const members = /^export interface Repositories \{$(.*?)^\}$/ms.exec(text)?.[1] ?? "";
  const names = Array.from(members.matchAll(/^ {2}readonly \w+: (\w+);$/gm), ([, name]) => name);
  const methods = names.map((name) => {
    const body = [...sources.values()]
      .map((each) => new RegExp(`^export interface ${name} \\{$(.*?)^\\}$`, "ms").exec(each)?.[1])
      .find((each) => each !== undefined);
    return Array.from((body ?? "").matchAll(/^ {2}\w+[(<]/gm)).length;
  });
  return { repositories: names.length, methods: sum(methods) };
}

/** The number of methods that a kernel of a storage has. */
function kernelMethods() {
  const text = sources.get(join(root, "packages/storage/src/kernel/kernel.ts")) ?? "";
  const bodies = text.matchAll(/^export interface Kernel(?:Reader|Transaction)?(?: extends \w+)? \{$(.*?)^\}$/gms);
  return sum(Array.from(bodies, ([, body]) => Array.from(body.matchAll(/^ {2}\w+[(<]/gm)).length));
}

/** Folders whose parts, folders and files, form a directed graph. In a package of several floors, so do those of each folder. */
const floors = [core, ...["http", "storage-knex"].flatMap((name) => foldersBelow(join(root, "packages", name, "src")))];

function foldersBelow(folder) {
  const inside = [...sources.keys()].map(dirname).filter((path) => path.startsWith(folder));
  return [...new Set([folder, ...inside.flatMap((path) => [path, dirname(path)])])];
}

/** The parts of a folder that need each other: imports between them run up and down. */
function knot(folder) {
  const partOf = (path) => (path.startsWith(`${folder}/`) ? relative(folder, path).split("/")[0] : null);
  const needs = new Map();
  for (const path of sources.keys()) {
    const part = partOf(path);
    const others = importsOf(path).map(partOf);
    if (part !== null) needs.set(part, [...(needs.get(part) ?? []), ...others.filter((each) => each !== part)]);
  }
  const reach = (from, seen = new Set()) => {
    for (const each of needs.get(from) ?? []) if (!seen.has(each)) reach(each, seen.add(each));
    return seen;
  };
  const tied = [...needs.keys()].filter((part) => reach(part).has(part));
  if (tied.length > 0) console.error(`${relative(root, folder)}: ${tied.join(", ")} need each other.`);
  return tied.length;
}

/** The number of fields in the reference of the configuration. One that a database can override counts once. */
function settings() {
  const text = readFileSync(join(root, "docs/reference/configuration.md"), "utf8");
  const rows = text.match(/^\| `[a-z][^`]*` \|.*$/gm);
  return rows.filter((row) => !row.includes("Overrides the server-wide value")).length;
}

const total = sum([...sources.values()].map(lines));
const importers = tally([...sources.keys()].flatMap((path) => [...new Set(importsOf(path))]));
const { repositories, methods } = port();
const figures = {
  "source files per 1,000 lines": Number(((1_000 * sources.size) / total).toFixed(1)),
  "source files in one folder": Math.max(...tally(Array.from(sources.keys(), dirname)).values()),
  "files in one folder of tests": Math.max(...tally(testFiles().map(dirname)).values()),
  "repositories of the storage port": repositories,
  "methods of the repositories": methods,
  "methods of the kernel of storages": kernelMethods(),
  "source files of storage-knex": [...sources.keys()].filter((path) => path.includes("/packages/storage-knex/")).length,
  "parts of folders that need each other": sum(floors.map(knot)),
  "places of mutants that are gone": [...Object.values(areas).flat(), ...reference].filter(
    (place) => !existsSync(join(root, place)),
  ).length,
  "settings of the server": settings(),
};

console.log(
  `${sources.size} source files with ${total} lines; ${[...importers.values()].filter((count) => count === 1).length} of them have one importer.`,
);
console.table(
  Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, { figure, bound: bounds[name] }])),
);
const above = Object.keys(bounds).filter((name) => !(figures[name] <= bounds[name]));
if (above.length > 0) {
  console.error(`Above the bound: ${above.join(", ")}.`);
  process.exitCode = 1;
}

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../../..");
const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
const isBuilt = /(?:^|\/)(?:node_modules|dist)\//;
const files = ["packages", "apps", "docs", ".ci"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((path) => !isBuilt.test(`${path}/`)),
);

/** Paths and names of files in code spans: whole, from a folder on, or with a star. */
const named = Array.from(page.matchAll(/`([\w.*-]+(?:\/[\w.*-]+)+|[\w*-]+\.(?:ts|mjs|cjs|json))`/g), ([, name]) =>
  String(name),
);

test("every file that docs/architecture.md names exists", () => {
  expect(named.length).toBeGreaterThan(60);
  const built = new Set(["apps/server/dist/package"]);
  const missing = named.filter((name) => {
    const pattern = new RegExp(`(?:^|/)${name.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`);
    return !built.has(name) && !files.some((path) => pattern.test(path));
  });
  expect(missing).toEqual([]);
});

test("its table has every package and app, and no other", () => {
  const rows = Array.from(page.matchAll(/^\| `((?:packages|apps)\/[\w-]+)` \|/gm), ([, folder]) => folder);
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  expect(rows.toSorted()).toEqual(folders.toSorted());
});

test("its table of contexts has every folder of the core", () => {
  const [, table = ""] = /\| Context \| Content \|\n([^]*?)\n\n/.exec(page) ?? [];
  const rows = table
    .split("\n")
    .flatMap((row) => Array.from((row.split("|")[1] ?? "").matchAll(/`(\w+)`/g), ([, name]) => name));
  const folders = readdirSync(join(root, "packages/core/src"), { withFileTypes: true });
  expect(rows.toSorted()).toEqual(folders.flatMap((each) => (each.isDirectory() ? [each.name] : [])).toSorted());
});

/**
 * Bundles the console into `dist`, unless its sources are those of the last bundle. `.bundle.json` then names the packages that the
 * bundle contains.
 *
 *     node apps/console/bundle.mjs
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "vite";

const folder = import.meta.dirname;
const root = join(folder, "../..");
const note = join(folder, ".bundle.json");

/** The console, and the parts of the client that it loads. */
const sources = [
  ...["index.html", "vite.config.ts", "bundle.mjs", "src", "public"].map((name) => join(folder, name)),
  ...["client", "contract", "storage"].map((name) => join(root, "packages", name, "dist")),
  join(root, "package-lock.json"),
];

function digestOf(paths) {
  const files = paths.flatMap((path) =>
    /\.\w+$/.test(path)
      ? [path]
      : readdirSync(path, { withFileTypes: true, recursive: true })
          .filter((entry) => entry.isFile() && /\.(?:css|svg|tsx?|js)$/.test(entry.name))
          .map(({ parentPath, name }) => join(parentPath, name)),
  );
  const hash = createHash("sha256").update(process.version);
  for (const path of files.toSorted()) hash.update(`\n${relative(root, path)}\n`).update(readFileSync(path));
  return hash.digest("hex");
}

const digest = digestOf(sources);
const isCurrent =
  existsSync(note) &&
  existsSync(join(folder, "dist/index.html")) &&
  JSON.parse(readFileSync(note, "utf8")).digest === digest;
if (!isCurrent) {
  rmSync(note, { force: true });
  const { output } = await build({ root: folder, logLevel: "warn" });
  const modules = output.flatMap((each) => Object.entries(each.modules ?? {}));
  const contained = modules
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([path]) => relative(root, path));
  const packages = contained.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  writeFileSync(note, JSON.stringify({ digest, packages: [...new Set(packages)].toSorted() }));
}

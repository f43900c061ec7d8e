/**
 * Builds all packages, unless nothing has changed since the last build.
 *
 *     node build.mjs
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
const note = join(root, "apps/server/dist/build.sha256");
const cluster = join(root, "packages/storage-pglite/data/cluster.json");

/** The arguments of Node in each step, in order. Each step leaves what is current as it is, except the bundle. */
const steps = [
  ["node_modules/typescript/bin/tsc", "-b"],
  ["packages/storage-pglite/make-cluster.mjs"],
  ["apps/console/bundle.mjs"],
  ["apps/server/bundle.mjs"],
  ["packages/client/make-package.mjs"],
  ["apps/cli/make-declared-commands.mjs"],
];

/** Names of folders without sources of the build. */
const ignored = new Set(["data", "dist", "node_modules", "test"]);
/** Data of the repository, unlike other folders of this name. */
const kept = new Set([join(root, "packages/crypto/data")]);

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return ignored.has(entry.name) && !kept.has(path) ? [] : filesBelow(path);
  });
}

/** A digest of the names, sizes and times of all sources, and of the tools. */
function digestOfSources() {
  const common = ["build.mjs", "package.json", "package-lock.json", "tsconfig.base.json", "tsconfig.json"];
  const paths = [
    ...common.map((name) => join(root, name)),
    ...["packages", "apps"].flatMap((each) => filesBelow(join(root, each))),
  ];
  const lines = paths.map((path) => {
    const { mtimeMs, size } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  });
  return createHash("sha256")
    .update([process.version, ...lines].join("\n"))
    .digest("hex");
}

/** Whether a package lacks its result. */
function isIncomplete() {
  return ["packages", "apps"].some((group) =>
    readdirSync(join(root, group)).some(
      (name) =>
        existsSync(join(root, group, name, "tsconfig.json")) &&
        !["dist/.tsbuildinfo", "dist/index.html"].some((result) => existsSync(join(root, group, name, result))),
    ),
  );
}

const digest = digestOfSources();
const isCurrent = existsSync(note) && readFileSync(note, "utf8") === digest && existsSync(cluster) && !isIncomplete();
if (!isCurrent) {
  rmSync(note, { force: true });
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  writeFileSync(note, digest);
}

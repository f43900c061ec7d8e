/**
 * Builds the documentation site into `site/dist/site`. Installs its packages first, if they are missing or outdated.
 *
 *     npm run docs:site
 *     npm run docs:site -- --serve [--port 4173]    builds, then serves the result on this machine
 *     npm run docs:site -- --base /sallyport/       builds for a path other than /
 */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const site = import.meta.dirname;

const { values } = parseArgs({
  options: {
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "4173" },
    base: { type: "string", default: "/" },
  },
});

/** Runs a command in the folder of the site. Ends this process with its exit code if it fails. */
function run(command, parameters) {
  const { status, error } = spawnSync(command, parameters, {
    cwd: site,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** npm writes this file at the end of each installation. */
const installed = join(site, "node_modules/.package-lock.json");
const lock = join(site, "package-lock.json");
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs)
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);

const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
run(process.execPath, [vitepress, "build", "--base", values.base]);
if (values.serve) run(process.execPath, [vitepress, "preview", "--base", values.base, "--port", values.port]);

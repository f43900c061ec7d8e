/**
 * Runs the examples of the guide "Test your application" as their readers do: in an empty folder, with the packed
 * packages. Other packages are linked from this repository, so it needs no network.
 *
 *     node .ci/examples.mjs [names…] [--keep]
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  chmodSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { ROOT, publicPackages, readJson } from "./packages.mjs";

const run = promisify(execFile);
const EXAMPLES = join(ROOT, "packages/testing/examples");
const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: "boolean" } } });
const names = positionals.length > 0 ? positionals : readdirSync(EXAMPLES);

/** Our packages by name: the folder to pack. */
const own = new Map(
  publicPackages.map(({ folder }) => [
    JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")).name,
    folder,
  ]),
);

const archives = mkdtempSync(join(tmpdir(), "sallyport-archives-"));
const packed = new Map();

/** Packs one of our packages, once. */
async function archiveOf(name) {
  if (!packed.has(name)) {
    const place = ["pack", "--json", "--offline", "--pack-destination", archives, join(ROOT, own.get(name))];
    const [{ filename }] = JSON.parse((await run("npm", place)).stdout);
    packed.set(name, join(archives, filename));
  }
  return packed.get(name);
}

/** Installs packages with their dependencies. */
async function install(folder, dependencies) {
  const wanted = Object.keys(dependencies);
  for (const name of wanted) {
    const place = join(folder, "node_modules", name);
    if (existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true });
    if (own.has(name)) {
      mkdirSync(place);
      await run("tar", ["-xzf", await archiveOf(name), "--strip-components=1", "-C", place]);
    } else symlinkSync(join(ROOT, "node_modules", name), place);
    const { dependencies: more = {}, bin = {} } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    const commands = Object.entries(typeof bin === "string" ? { [name]: bin } : bin);
    for (const [command, path] of commands) linkCommand(folder, command, join(place, path));
    if (own.has(name)) await install(folder, more);
  }
}

/** Links a command, as `npm install` does. */
function linkCommand(folder, command, path) {
  const commands = join(folder, "node_modules/.bin");
  if (existsSync(join(commands, command))) return;
  mkdirSync(commands, { recursive: true });
  chmodSync(path, 0o755);
  symlinkSync(path, join(commands, command));
}

/** Runs the tests of an example, and returns their exit code. */
async function tryExample(name) {
  const folder = mkdtempSync(join(tmpdir(), `sallyport-${name}-`));
  try {
    cpSync(join(EXAMPLES, name), folder, { recursive: true });
    const { dependencies, devDependencies, scripts } = readJson(`packages/testing/examples/${name}/package.json`);
    await install(folder, { ...dependencies, ...devDependencies });
    const PATH = [join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter);
    process.stdout.write(`\n== ${name}: ${scripts.test}\n`);
    const test = spawn(scripts.test, { cwd: folder, shell: true, stdio: "inherit", env: { ...process.env, PATH } });
    const [code] = await once(test, "exit");
    return code ?? 1;
  } finally {
    if (values.keep) process.stdout.write(`${folder}\n`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

let failed = 0;
for (const name of names) if ((await tryExample(name)) !== 0) failed += 1;
rmSync(archives, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;

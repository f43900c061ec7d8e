/**
 * Completes package-lock.json after `npm install`, in the root and in `site`.
 *
 * A package with native parts lists one optional package per platform. npm omits those that the current registry lacks,
 * and `npm ci` then rejects the lockfile. This script adds a stub entry (version, platform, optional) for each of them.
 * It also removes registry URLs, so that the lockfile works with every registry.
 *
 *     node .ci/complete-lockfile.mjs            adds the missing entries
 *     node .ci/complete-lockfile.mjs --check    writes nothing; exits 1 and lists the missing entries
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { platformOfName } from "./platform-of-name.mjs";

const LOCKFILES = ["package-lock.json", "site/package-lock.json"];
const byLocation = new Intl.Collator("en").compare;

/** The possible locations of `name` for the package at `location`, nearest first. */
function places(location, name) {
  const found = [];
  for (let at = location; ; ) {
    // npm never nests a node_modules directly inside another one.
    found.push(at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`);
    if (at === "") return found;
    const cut = at.lastIndexOf("/node_modules/");
    at = cut === -1 ? "" : at.slice(0, cut);
  }
}

/** The lowest version in a simple range. npm only requires a stub to satisfy the range. */
function lowestOf(range) {
  return /^[\^~]?(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/.exec(range)?.[1];
}

async function askRegistry(name, range) {
  try {
    const asked = [`${name}@${range}`, "version", "os", "cpu", "libc", "--json"];
    const { stdout } = await promisify(execFile)("npm", ["view", ...asked], { encoding: "utf8" });
    const answer = [JSON.parse(stdout)].flat().at(-1);
    const lists = ["os", "cpu", "libc"].filter((key) => answer[key]).map((key) => [key, [answer[key]].flat()]);
    return { version: answer.version, ...Object.fromEntries(lists) };
  } catch {
    return undefined;
  }
}

/** Uses npm's key order, so that the next `npm install` keeps the entry unchanged. */
function stub({ version, platform, dev }) {
  return {
    version,
    ...(platform.cpu && { cpu: platform.cpu }),
    ...(dev && { dev: true }),
    ...(platform.libc && { libc: platform.libc }),
    optional: true,
    ...(platform.os && { os: platform.os }),
  };
}

/** The missing optional packages, each with its dependants. */
function missingFrom(packages) {
  const missing = new Map();
  for (const [location, entry] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const exact = lowestOf(range) === range;
      const present = places(location, name).find((place) => packages[place]);
      if (present && !(exact && packages[present].version !== range)) continue;
      const key = `${name}@${range}`;
      missing.set(key, [
        ...(missing.get(key) ?? []),
        { location, name, range, dev: entry.dev === true, shadowed: Boolean(present) },
      ]);
    }
  }
  return missing;
}

/** Registry addresses in a lockfile, by their packages. */
const addressedIn = (packages) => Object.entries(packages).filter(([, entry]) => /^https?:/.test(entry.resolved ?? ""));

/** Reports whether a lockfile is complete. Asks no registry and writes nothing. */
async function checkLockfile(name, url) {
  const { packages } = JSON.parse(await readFile(url, "utf8"));
  const missing = missingFrom(packages);
  const addressed = addressedIn(packages);
  for (const key of missing.keys()) console.error(`${name} has no entry for the optional package ${key}`);
  for (const [location] of addressed) console.error(`${name} records a registry address for ${location}`);
  if (missing.size + addressed.length === 0) return console.log(`${name} is complete.`);
  console.error("Run `npm run lockfile` and commit the result.");
  process.exitCode = 1;
}

async function completeLockfile(name, url) {
  const lockfile = JSON.parse(await readFile(url, "utf8"));
  const missing = missingFrom(lockfile.packages);
  const addressed = addressedIn(lockfile.packages);
  const unknown = [];
  for (const [key, wishes] of missing) {
    const [{ name: wanted, range }] = wishes;
    const named = platformOfName(wanted);
    const answer = named && lowestOf(range) ? undefined : await askRegistry(wanted, range);
    const platform = named ?? answer;
    const version = lowestOf(range) ?? answer?.version;
    if (!version || !(platform?.os || platform?.cpu)) {
      unknown.push(key);
      continue;
    }
    const entry = stub({ version, platform, dev: wishes.every((wish) => wish.dev) });
    for (const { location, shadowed } of wishes) {
      const options = places(location, wanted);
      const taken = options.some((place) => lockfile.packages[place]?.version === version);
      if (taken) continue;
      const top = options.at(-1);
      lockfile.packages[shadowed || lockfile.packages[top] ? options[0] : top] = entry;
    }
  }
  for (const [, entry] of addressed) delete entry.resolved;

  if (missing.size + addressed.length > 0) {
    const [root, ...rest] = Object.entries(lockfile.packages);
    lockfile.packages = Object.fromEntries([root, ...rest.toSorted(([a], [b]) => byLocation(a, b))]);
    await writeFile(url, `${JSON.stringify(lockfile, null, 2)}\n`);
  }
  console.log(
    `${name}: ${missing.size - unknown.length} platform packages added, ${addressed.length} addresses removed.`,
  );
  for (const key of unknown)
    console.error(`cannot tell the platform of ${key}: neither its name nor the registry says`);
  if (unknown.length > 0) process.exitCode = 1;
}

const work = process.argv.includes("--check") ? checkLockfile : completeLockfile;
for (const name of LOCKFILES) await work(name, new URL(`../${name}`, import.meta.url));

/**
 * Runs the conformance kit on the storages of this repository.
 *
 *     npm run kit -- [memory] [faults] [embedded] [postgres] [sqlite] [mariadb] [options of sallyport-conformance]
 *
 * Without names: all, MariaDB if `MARIADB_URL` names a server, and SQLite if Node has it (22.13 or newer). Postgres is the server at `DATABASE_URL`, or one that is
 * started for the run. `KIT_REPORTS` names a folder for the reports as JSON. Two storages run at a time. With reports, a
 * storage that fails runs once more, as in `run-tests.mjs`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const known = ["embedded", "postgres", "memory", "faults", "sqlite", "mariadb"];
const given = process.argv.slice(2);
const options = given.filter((each) => !known.includes(each));
const named = given.filter((each) => known.includes(each));
/** The engines that a machine can lack: a Node before 22.13 has no SQLite. */
const isHere = {
  mariadb: Boolean(process.env["MARIADB_URL"]),
  sqlite: process.getBuiltinModule?.("node:sqlite") !== undefined,
};
const storages = named.length > 0 ? named : known.filter((each) => isHere[each] ?? true);
for (const each of known.filter((name) => isHere[name] === false)) console.log(`${each} is not on this machine.`);
const reports = process.env["KIT_REPORTS"];

/** Runs the kit on a storage, then prints its report. Returns the exit code. */
function runKit(storage) {
  const json = !reports ? [] : ["--json", join(reports, `kit-${storage}-${process.pid}.json`)];
  const adapter = join("packages/test-kit/dist/adapters", `${storage}.js`);
  const child = spawn(process.execPath, ["packages/conformance-kit/dist/main.js", adapter, ...json, ...options], {
    cwd: root,
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.once("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

let isGreen = true;
const waiting = [...storages];
const work = async () => {
  for (let storage = waiting.shift(); storage !== undefined; storage = waiting.shift()) {
    let code = await runKit(storage);
    if (code !== 0 && reports) {
      console.log(`\n== once more: the kit on ${storage}`);
      code = await runKit(storage);
    }
    isGreen = code === 0 && isGreen;
  }
};
await Promise.all([work(), work()]);
process.exitCode = isGreen ? 0 : 1;

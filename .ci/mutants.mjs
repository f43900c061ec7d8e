/**
 * Mutation testing: changes one place of the code at a time, and tells whether the tests notice. It runs on Linux.
 *
 *     node .ci/mutants.mjs --seed 7 --count 45 --full
 *
 * The seed draws the mutants from the list of all, the same number from each area. All of them are built into one copy of the
 * working tree, each behind a switch. One run of the tests records which test files reach which mutant, and only those run with
 * the mutant on: first those of its package, then the shortest. `--full` then tries the survivors with the tests of the full run.
 *
 * Arguments name test files by parts of their paths. `--area` (may be repeated) and `--only 3,8` choose among the drawn mutants,
 * `--list` prints them, `--jobs` sets how many are tried at a time, `--json` names a file for the outcomes. `--reach` names a
 * file that keeps which tests reach which mutant, for the next run on the same tree.
 */
import { spawn } from "node:child_process";
import { existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { areas, draw } from "./mutants/draw.mjs";
import { makeWorkspace } from "./mutants/workspace.mjs";

const root = join(import.meta.dirname, "..");
const { values: options, positionals: given } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "45" },
    area: { type: "string", multiple: true, default: Object.keys(areas) },
    only: { type: "string" },
    jobs: { type: "string", default: "2" },
    full: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    json: { type: "string" },
    reach: { type: "string" },
  },
});
const only = options.only?.split(",").map(Number);
const mutants = draw(root, Number(options.seed), Number(options.count)).filter(
  ({ number, area }) => options.area.includes(area) && (only === undefined || only.includes(number)),
);
const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 70);
const describe = ({ number, area, path, line, was, replacement }) =>
  `${number} ${area}: ${path}:${line}  ${short(was)}  ->  ${short(replacement) || "nothing"}`;
if (options.list) {
  for (const mutant of mutants) console.log(describe(mutant));
  process.exit();
}

const { directory, copy, state } = makeWorkspace(root, mutants);
const running = new Set();
process.once("exit", () => {
  for (const child of running) stop(child);
  rmSync(directory, { recursive: true, force: true });
});
process.once("SIGINT", () => process.exit(1));
process.once("SIGTERM", () => process.exit(1));

/** The child and the servers that its tests started. */
function stop(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // All of them are gone.
  }
}

let runs = 0;

/** The runs of the conformance kit count as test files. */
const kitRuns = ["memory", "embedded", "postgres"].map((storage) => `.ci/kit.mjs ${storage}`);

/** Runs test files, named by parts of their paths, with a mutant on. Returns the outcome and seconds of each; null if the run is late. */
async function runTests(mutant, files, { scope, bail = true, workers = 1, seconds = 3_600 }) {
  const kits = files.filter((file) => kitRuns.includes(file));
  const others = files.filter((file) => !kits.includes(file));
  const results =
    others.length > 0 || files.length === 0 ? await runJest(mutant, others, { scope, bail, workers, seconds }) : [];
  for (const kit of kits) {
    const began = performance.now();
    const [script, storage] = kit.split(" ");
    const code = await run([script, storage], { stderr: "ignore", env: {}, seconds, reached: { mutant, test: kit } });
    results?.push({ file: kit, isFailed: code !== 0, seconds: (performance.now() - began) / 1_000 });
  }
  return results;
}

/** Runs a Node script in the copy: its exit code, null if it is late. */
async function run(args, { stderr, env, seconds, reached }) {
  const child = spawn(process.execPath, args, {
    cwd: copy,
    stdio: ["ignore", "ignore", stderr],
    detached: true,
    // Runs that are killed leave their files there.
    env: { ...process.env, TMPDIR: directory, ...env },
  });
  if (reached !== undefined) writeFileSync(join(state, String(child.pid)), JSON.stringify(reached));
  running.add(child);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    stop(child);
  }, seconds * 1_000);
  const code = await new Promise((resolve) => {
    child.once("exit", resolve);
  });
  clearTimeout(late);
  stop(child);
  running.delete(child);
  return isLate ? null : code;
}

async function runJest(mutant, files, { scope, bail, workers, seconds }) {
  runs += 1;
  const output = join(state, `results-${runs}.json`);
  const report = join(state, `report-${runs}`);
  const jest = ["node_modules/jest/bin/jest.js", "--silent", "--json"];
  const environment = `--env=${join(copy, ".ci/mutants/environment.mjs")}`;
  // Each test file gets a process of its own, so that it also reaches what runs when a module is loaded.
  const processes = [`--maxWorkers=${workers}`, "--workerIdleMemoryLimit=1"];
  const own = [`--outputFile=${output}`, environment, ...processes, ...(bail ? ["--bail=1"] : [])];
  const code = await run([...jest, ...own, ...files], {
    stderr: openSync(report, "w"),
    env: { TEST_SCOPE: scope, MUTANT_STATE: state, MUTANT: JSON.stringify(mutant) },
    seconds,
  });
  if (code === null) return null;
  if (existsSync(output))
    return JSON.parse(readFileSync(output, "utf8")).testResults.map(({ name, status, startTime, endTime }) => ({
      file: relative(copy, name),
      isFailed: status === "failed",
      seconds: (endTime - startTime) / 1_000,
    }));
  // Jest writes no results when it bails out.
  const text = readFileSync(report, "utf8");
  const failed = [...text.matchAll(/^FAIL (\S+)/gm)].map(([, file]) => ({ file, isFailed: true, seconds: 0 }));
  return failed.length === 0 ? null : failed;
}

/** The test files that reach each mutant, with the seconds each takes. Files that fail without a mutant are left out. */
async function reach(files, scope) {
  const kept = options.reach && `${options.reach}-${scope || "short"}.json`;
  if (kept && existsSync(kept)) return new Map(JSON.parse(readFileSync(kept, "utf8")));
  const results = await runTests("reach", files, { scope, bail: false, workers: 2, seconds: 3 * 3_600 });
  if (results === null) throw new Error("The run without a mutant did not come to an end.");
  for (const { file } of results.filter(({ isFailed }) => isFailed)) console.log(`fails without a mutant: ${file}`);
  const taken = new Map(results.filter(({ isFailed }) => !isFailed).map(({ file, seconds }) => [file, seconds]));
  const log = join(state, "reached");
  const pairs = new Set(readdirSync(state).includes("reached") ? readFileSync(log, "utf8").trim().split("\n") : []);
  rmSync(log, { force: true });
  const reached = new Map(mutants.map(({ number }) => [number, []]));
  for (const [number, file] of [...pairs].map((pair) => JSON.parse(pair)))
    if (taken.has(file)) reached.get(number).push({ file, seconds: taken.get(file) });
  if (kept) writeFileSync(kept, JSON.stringify([...reached]));
  console.log(`${taken.size} test files pass without a mutant, in ${Math.round(sum([...taken.values()]))} s.`);
  return reached;
}

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

/** The test file that kills the mutant, or null. Most die at the first file, so that the runs get longer. */
async function killerOf({ number, path }, files, scope) {
  const near = `${path.split("/").slice(0, 2).join("/")}/`;
  const rank = ({ file, seconds }) => seconds + (file.startsWith(near) ? 0 : 10_000);
  let ordered = files.toSorted((one, other) => rank(one) - rank(other));
  for (let size = 1; ordered.length > 0; size = Math.min(size * 4, 16)) {
    const some = ordered.slice(0, size);
    let killers = await killersOf(number, some, scope);
    // Once more, as a test may fail for reasons of its own; then the run goes on behind it.
    const first = killers;
    if (first.length > 0) killers = await killersOf(number, first, scope);
    if (killers.length > 0) return killers[0].file;
    ordered = ordered.filter((each) => (first.length > 0 ? !first.includes(each) : !some.includes(each)));
  }
  return null;
}

/** The test files that fail; all of them if the run does not end. */
async function killersOf(number, files, scope) {
  const names = files.map(({ file }) => file);
  const seconds = 60 + 5 * sum(files.map((each) => each.seconds));
  const results = await runTests(number, names, { scope, seconds });
  if (results === null) return files;
  return files.filter((each) => results.some(({ file, isFailed }) => isFailed && file === each.file));
}

/** Tries the mutants with the test files that reach them, some at a time. */
async function tryAll(some, reached, scope, name) {
  const waiting = [...some];
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const files = reached.get(mutant.number);
      const began = performance.now();
      mutant[name] = { files: files.length, killer: await killerOf(mutant, files, scope) };
      const outcome = mutant[name].killer === null ? `SURVIVED ${files.length} test files` : "killed";
      const seconds = Math.round((performance.now() - began) / 1_000);
      console.log(`${outcome}, ${seconds} s  ${describe(mutant)}  ${mutant[name].killer ?? ""}`);
      if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(mutants, null, 2));
    }
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, work));
  return some.filter((mutant) => mutant[name].killer === null);
}

/** Test files of which the full run does more than the short one. */
const isFuller = (file) =>
  /\b(?:on(?:Engines|[A-Z]\w+Servers)|testedEngines|testedModes|isFullRun|run-guide)\b/.test(
    readFileSync(join(copy, file), "utf8"),
  );

let survivors = await tryAll(mutants, await reach(given.length > 0 ? given : [".test.", ...kitRuns], ""), "", "short");
const noticed = mutants.length - survivors.length;
console.log(`${noticed} of ${mutants.length} mutants were noticed.`);
if (options.full && survivors.length > 0) {
  const files = readdirSync(copy, { recursive: true }).filter(
    (file) =>
      /^(?!node_modules).*\.test\.ts$/.test(file) &&
      (given.length === 0 || given.some((part) => file.includes(part))) &&
      isFuller(file),
  );
  survivors = await tryAll(survivors, await reach(files, "full"), "full", "full");
  console.log(`${mutants.length - survivors.length} of ${mutants.length} mutants were noticed in the full run.`);
}

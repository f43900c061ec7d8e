/**
 * Measures the conformance kit: changes one place of the reference storage at a time, and tells whether a check fails.
 *
 *     node .ci/kit-mutants.mjs --sample 100 --seed 7
 *
 * All mutants are built into one copy of the packages, each behind a switch. One run of the kit records which checks reach which
 * mutant, and only those judge it, the fastest first, until one fails. Without `--sample`, all mutants are judged.
 *
 * `--bites` also looks, for each check, for a mutant whose fault it notices by an assertion of its own. `--path` (a part of a path) and
 * `--only 3,8` choose mutants, `--list` prints them, `--every` names all checks that fail, `--jobs` sets the number of threads, `--json` names a file for the outcome.
 */
import { rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { filesOf, mutantsOf, randomFrom } from "./mutants/find.mjs";
import { KitThreads, threadSwitch, timeLimitOf } from "./mutants/kit-threads.mjs";
import { accepted, packages, reference } from "./mutants/reference.mjs";
import { makePackages } from "./mutants/workspace.mjs";

const root = join(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    path: { type: "string", default: "" },
    only: { type: "string" },
    bites: { type: "boolean", default: false },
    every: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    jobs: { type: "string", default: String(availableParallelism()) },
    json: { type: "string" },
  },
});
const jobs = Number(options.jobs);
const began = performance.now();
const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);

const mutants = reference
  .flatMap((place) => filesOf(root, place))
  .flatMap((path) => mutantsOf(root, path, { isThorough: true }))
  .map((mutant, index) => ({ number: index + 1, ...mutant }));
const chosen = choose();
const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 90);
const describe = ({ number, path, line, was, replacement }) =>
  `${number} ${path}:${line}  ${short(was)}  ->  ${short(replacement) || "nothing"}`;

function choose() {
  const only = options.only?.split(",").map(Number);
  const fitting = mutants.filter(
    ({ number, path }) => path.includes(options.path) && (only === undefined || only.includes(number)),
  );
  if (options.sample === undefined) return fitting;
  const random = randomFrom(Number(options.seed));
  return Array.from({ length: Math.min(Number(options.sample), fitting.length) }, () =>
    fitting.splice(Math.floor(random() * fitting.length), 1),
  ).flat();
}

if (options.list) {
  // An exit would cut off what a pipe has not taken yet.
  await new Promise((resolve) => {
    process.stdout.write(`${chosen.map(describe).join("\n")}\n`, resolve);
  });
  process.exit();
}

const { directory, copy } = makePackages(root, packages, mutants, threadSwitch);
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
process.once("SIGINT", () => process.exit(1));
process.once("SIGTERM", () => process.exit(1));
const threads = new KitThreads(copy, mutants.length + 1);

/** The checks without a mutant, with what each reaches. */
async function reach() {
  const first = await threads.start(0);
  if (first.failure !== undefined) throw first.failure;
  const { checks, reachedAtLoad } = first.loaded;
  const all = checks.map((check, index) => ({ ...check, index }));
  const parts = Array.from({ length: Math.ceil(all.length / 20) }, (_, part) => all.slice(20 * part, 20 * part + 20));
  await threads.each(parts, jobs, async (part, run) => {
    const runs = part.map(({ index }) => ({ mutant: 0, check: index, timeLimit: 30_000 }));
    for (const { check, outcome, isFailed, duration, reached, error } of await run({ runs, isReach: true })) {
      if (isFailed) throw new Error(`"${all[check].name}" fails without a mutant: ${error}`);
      Object.assign(all[check], { applies: outcome === "passed", duration, reached: new Set(reached) });
    }
  });
  return { checks: all, atLoad: new Set(reachedAtLoad) };
}

const { checks, atLoad } = await reach();
console.log(`${mutants.length} mutants, ${checks.length} checks, reached after ${seconds()} s.`);

const judgesOf = new Map(mutants.map(({ number }) => [number, []]));
for (const check of checks) for (const number of check.reached) judgesOf.get(number).push(check);
/** A mutant that takes effect at load is judged by all checks that reach its file. */
for (const { number, path } of mutants.filter((mutant) => atLoad.has(mutant.number))) {
  const near = mutants.filter((other) => other.path === path).map((other) => other.number);
  judgesOf.set(number, [...new Set(near.flatMap((other) => judgesOf.get(other)))]);
}

/** How often each check was the first to notice a mutant of a file. */
const kills = new Map();
const runOf = (mutant, check) => ({ mutant, check: check.index, timeLimit: timeLimitOf(check) });

async function judge(mutant, run) {
  const { number, path } = mutant;
  const rank = ({ index, duration }) => duration / (1 + 4 * (kills.get(`${path} ${index}`) ?? 0));
  const ordered = judgesOf.get(number).toSorted((one, other) => rank(one) - rank(other));
  const runs = ordered.map((check) => runOf(number, check));
  if (runs.length === 0) return;
  const results = await run(
    { runs, isEnough: options.every ? "never" : "failed" },
    atLoad.has(number) ? number : undefined,
  );
  const failed = results.filter(({ isFailed }) => isFailed);
  mutant.killers = failed.map(({ check, isNoticed, error }) => ({ check: checks[check]?.name, isNoticed, error }));
  const [killer] = failed;
  if (killer?.check === undefined) return;
  const key = `${path} ${killer.check}`;
  kills.set(key, (kills.get(key) ?? 0) + 1);
  for (const { check, isNoticed } of failed) if (isNoticed && checks[check].applies) checks[check].bite ??= number;
}

await threads.each(chosen, jobs, judge);
console.log(`Judged after ${seconds()} s.`);

/** Looks for a mutant that a check notices, those first that few checks reach. */
async function bite(check, run) {
  const candidates = [...check.reached].filter((number) => !atLoad.has(number));
  const ordered = candidates.toSorted((one, other) => judgesOf.get(one).length - judgesOf.get(other).length);
  for (let rest = ordered; rest.length > 0 && check.bite === undefined; ) {
    const results = await run({ runs: rest.map((number) => runOf(number, check)), isEnough: "noticed" });
    check.bite = results.find(({ isNoticed }) => isNoticed)?.mutant;
    rest = rest.slice(results.length);
  }
}

if (options.bites) {
  await threads.each(
    checks.filter(({ bite: found, applies }) => found === undefined && applies),
    jobs,
    bite,
  );
  console.log(`Bites found after ${seconds()} s.`);
}
await threads.end();

const isOf = (entry) => (mutant) =>
  ["path", "code", "was", "replacement"].every((name) => entry[name] === mutant[name]);
const isAccepted = (mutant) => accepted.some((entry) => isOf(entry)(mutant));
const alive = chosen.filter(({ killers = [] }) => killers.length === 0);
const survivors = alive.filter((mutant) => !isAccepted(mutant));
for (const mutant of survivors)
  console.log(`SURVIVED ${judgesOf.get(mutant.number).length} checks  ${describe(mutant)}`);
const outcome = {
  mutants: mutants.length,
  judged: chosen.length,
  killed: chosen.length - alive.length,
  accepted: alive.length - survivors.length,
  seconds: Number(seconds()),
  survivors: survivors.map(({ path, line, code, was, replacement }) => ({ path, line, code, was, replacement })),
  needless: accepted.filter(
    (entry) =>
      !mutants.some(isOf(entry)) || chosen.some((mutant) => isOf(entry)(mutant) && (mutant.killers ?? []).length > 0),
  ),
  bites: checks.map(({ name, needs, bite: number }) => ({
    name,
    needs,
    mutant: number === undefined ? null : describe(mutants[number - 1]),
  })),
};
console.log(
  `${outcome.killed} of ${outcome.judged} mutants were noticed, ${outcome.accepted} of the others cannot be, after ${seconds()} s.`,
);
if (options.json !== undefined)
  writeFileSync(options.json, JSON.stringify({ ...outcome, all: options.every ? chosen : undefined }, null, 2));

import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { strictKernel } from "./strict-kernel.mjs";

const { kit, memory, size, cells, on } = workerData;

/** The switches in the code read this. `reached` has a place for each mutant while it is recorded which are reached. */
const mutants = { on, reached: new Uint8Array(size) };
globalThis.sallyportMutants = mutants;

/** Errors outside the checks, such as unhandled rejections. The command of the kit counts each as a failure, too. */
const stray = [];
process.on("unhandledRejection", (error) => stray.push(error));
process.on("uncaughtException", (error) => stray.push(error));

const { checks, runCheck } = await import(kit);
const { MemoryKernel } = await import(memory);
const reachedAtLoad = numbersOf(mutants.reached);
mutants.reached = null;

parentPort.on("message", async ({ runs, isReach, isEnough }) => {
  const results = [];
  for (const { mutant, check, timeLimit } of runs) {
    const result = await runOne(mutant, check, timeLimit, isReach);
    results.push(result);
    if (isEnough === "failed" && result.isFailed) break;
    if (isEnough === "noticed" && result.isNoticed) break;
    // The rest of the check may go on for ever.
    if (result.isLate) break;
  }
  parentPort.postMessage({ results });
});
parentPort.postMessage({ reachedAtLoad, checks: checks.map(({ name, section, needs }) => ({ name, section, needs })) });

/** The reference: the default repositories over the kernel in memory, with value indexes. */
const reference = {
  name: "MemoryKernel",
  create: async (options) => {
    const kernel = new MemoryKernel({ ...options, valueIndexes: true });
    return { kernel: strictKernel(kernel), destroy: () => kernel.close() };
  },
};

async function runOne(mutant, check, timeLimit, isReach) {
  // The main thread ends this one if it does not get on.
  Atomics.store(cells, 1, check);
  Atomics.add(cells, 0, 1);
  mutants.on = mutant;
  mutants.reached = isReach ? new Uint8Array(size) : null;
  stray.length = 0;
  const { outcome, error, duration } = await runCheck({ ...reference, timeLimit }, checks[check]);
  await setImmediate();
  const isLate = error?.message?.startsWith("The check did not end within") === true;
  const isFailed = outcome === "failed" || outcome === "notImplemented" || stray.length > 0;
  // Other errors come from code that cannot go on. It is not a merit of the check.
  const isNoticed = outcome === "failed" && !isLate && ["ConformanceError", "ServiceError"].includes(error?.name);
  const reached = isReach ? numbersOf(mutants.reached) : null;
  return {
    mutant,
    check,
    outcome,
    isFailed,
    isNoticed,
    isLate,
    duration,
    reached,
    error: isFailed ? String(error) : "",
  };
}

function numbersOf(reached) {
  return Array.from(reached.keys()).filter((number) => reached[number] === 1);
}

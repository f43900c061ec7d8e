/**
 * Runs a command that ends in Jest, and runs the test files that failed once more, alone.
 *
 *     node .ci/run-tests.mjs report.json npm run drills -- failover
 *
 * Some tests bound a time, and a shared machine can stall for seconds. A test that passes only the second time is unstable:
 * the run stays green, and its last lines name the test. More than five failed files are not a coincidence and stay failed. If no
 * test fails, but a worker does not exit, the files that it names run again; one that leaves something open fails again.
 * The command gets `--json --outputFile`; the report has the later results, and `unstable` with the names.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const mostRepeated = 5;
/** Milliseconds for files that may have held a worker. What they leave open keeps a run in one process from its end. */
const limitOfHeld = 10 * 60_000;
const [report, command, ...args] = process.argv.slice(2);
const heldFiles = `${report}.held`;

function run(name, parameters, file, timeout) {
  rmSync(heldFiles, { force: true });
  const env = { ...process.env, HELD_TEST_FILES: heldFiles };
  const { status } = spawnSync(name, [...parameters, "--json", `--outputFile=${file}`], {
    stdio: "inherit",
    env,
    timeout,
  });
  return existsSync(file)
    ? { status: status ?? 1, results: JSON.parse(readFileSync(file, "utf8")) }
    : { status: status ?? 1 };
}

const first = run(command, args, report);
process.exitCode = first.status;
const failed = (first.results?.testResults ?? []).filter((file) => file.status === "failed");
const names = failed.length > 0 ? failed.map((file) => file.name) : filesOfHeldWorkers();
if (first.status !== 0 && names.length > 0 && names.length <= mostRepeated) {
  console.log(`\n== once more: ${names.join(" ")}`);
  const alone = ["run", scriptOf(names[0]), "--", "--runInBand", "--runTestsByPath", ...names];
  const again = run("npm", alone, `${report}.again`, failed.length > 0 ? undefined : limitOfHeld);
  if (again.results !== undefined) writeFileSync(report, JSON.stringify(merge(first.results, again.results)));
  rmSync(`${report}.again`, { force: true });
  process.exitCode = again.status;
}
rmSync(heldFiles, { force: true });

/** The script that runs the test file. All files of a run have one. */
function scriptOf(name) {
  if (name.endsWith(".drill.ts")) return "drills";
  return name.endsWith(".console.ts") ? "test:console" : "test";
}

/** The test files that may have kept workers from their exit. */
function filesOfHeldWorkers() {
  if (first.results === undefined || !existsSync(heldFiles)) return [];
  return [...new Set(readFileSync(heldFiles, "utf8").split("\n").filter(Boolean))];
}

/** The first results with those of the repeated files replaced. */
function merge(before, after) {
  const repeated = before.testResults.filter((file) => names.includes(file.name));
  const count = (state) =>
    repeated.flatMap((file) => file.assertionResults).filter((test) => test.status === state).length;
  const failedBefore = failed.flatMap((file) => file.assertionResults.filter((test) => test.status === "failed"));
  const failedAfter = new Set(namesOfFailed(after));
  return {
    ...before,
    testResults: [...before.testResults.filter((file) => !names.includes(file.name)), ...after.testResults],
    numPassedTests: before.numPassedTests - count("passed") + after.numPassedTests,
    numFailedTests: after.numFailedTests,
    numRuntimeErrorTestSuites: after.numRuntimeErrorTestSuites,
    unstable:
      failed.length > 0
        ? failedBefore.map((test) => test.fullName).filter((name) => !failedAfter.has(name))
        : names.map((name) => `the end of a worker after ${name}`),
  };
}

function namesOfFailed({ testResults }) {
  return testResults
    .flatMap((file) => file.assertionResults.filter((test) => test.status === "failed"))
    .map((test) => test.fullName);
}

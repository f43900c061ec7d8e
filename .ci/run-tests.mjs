/**
 * Runs a command that ends in Jest, and runs the test files that failed once more, alone.
 *
 *     node .ci/run-tests.mjs report.json npm run drills -- failover
 *
 * Some tests bound a time, and a shared machine can stall for seconds. A test that passes only the second time is unstable:
 * the run stays green, and its last lines name the test. More than five failed files are no coincidence and stay failed.
 * The command gets `--json --outputFile`; the report has the later results, and `unstable` with the names.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const mostRepeated = 5;
const [report, command, ...args] = process.argv.slice(2);

function run(name, parameters, file) {
  const { status } = spawnSync(name, [...parameters, "--json", `--outputFile=${file}`], { stdio: "inherit" });
  return existsSync(file)
    ? { status: status ?? 1, results: JSON.parse(readFileSync(file, "utf8")) }
    : { status: status ?? 1 };
}

const first = run(command, args, report);
process.exitCode = first.status;
const failed = (first.results?.testResults ?? []).filter((file) => file.status === "failed");
if (first.status !== 0 && failed.length > 0 && failed.length <= mostRepeated) {
  const names = failed.map((file) => file.name);
  console.log(`\n== once more: ${names.join(" ")}`);
  const script = names.every((name) => name.endsWith(".drill.ts")) ? "drills" : "test";
  const again = run("npm", ["run", script, "--", "--runInBand", "--runTestsByPath", ...names], `${report}.again`);
  if (again.results !== undefined) writeFileSync(report, JSON.stringify(merge(first.results, again.results)));
  rmSync(`${report}.again`, { force: true });
  process.exitCode = again.status;
}

/** The first results with those of the repeated files replaced. */
function merge(before, after) {
  const count = (state) =>
    failed.flatMap((file) => file.assertionResults).filter((test) => test.status === state).length;
  const failedBefore = failed.flatMap((file) => file.assertionResults.filter((test) => test.status === "failed"));
  const failedAfter = new Set(namesOfFailed(after));
  return {
    ...before,
    testResults: [...before.testResults.filter((file) => !failed.includes(file)), ...after.testResults],
    numPassedTests: before.numPassedTests - count("passed") + after.numPassedTests,
    numFailedTests: after.numFailedTests,
    numRuntimeErrorTestSuites: after.numRuntimeErrorTestSuites,
    unstable: failedBefore.map((test) => test.fullName).filter((name) => !failedAfter.has(name)),
  };
}

function namesOfFailed({ testResults }) {
  return testResults
    .flatMap((file) => file.assertionResults.filter((test) => test.status === "failed"))
    .map((test) => test.fullName);
}

/**
 * Prints the names of unstable and of failed tests, then `N passed, N failed`, over the results of Jest and of the
 * conformance kit (`--json`) in the given folder.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const runs = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
const sum = (count) => runs.reduce((total, run) => total + count(run), 0);

const isKit = (run) => run.format === "sallyport-conformance";

const passed = sum((run) => (isKit(run) ? run.totals.passed : run.numPassedTests));
// A file that does not load reports no tests, but counts as a failure.
const failed = sum((run) =>
  isKit(run) ? run.totals.failed + run.totals.notImplemented : run.numFailedTests + run.numRuntimeErrorTestSuites,
);
// Skipped checks of the conformance kit need a capability that the adapter lacks. The output makes new ones visible.
const skipped = sum((run) => (isKit(run) ? run.totals.notApplicable : run.numPendingTests + run.numTodoTests));

for (const run of runs.filter((each) => !isKit(each))) {
  for (const name of run.unstable ?? []) console.log(`unstable, passed the second time: ${name}`);
  for (const file of run.testResults.filter((each) => each.status === "failed")) {
    const names = file.assertionResults.filter((test) => test.status === "failed").map((test) => test.fullName);
    for (const name of names.length > 0 ? names : [file.message]) console.log(`failed: ${file.name}: ${name}`);
  }
}
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);

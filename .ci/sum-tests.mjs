/** Prints `N passed, N failed` over the jest results (`--json`) in the folder given. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const runs = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
const sum = (count) => runs.reduce((total, run) => total + count(run), 0);

const passed = sum((run) => run.numPassedTests);
// A file that does not load has no tests to count; it must not pass for none.
const failed = sum((run) => run.numFailedTests + run.numRuntimeErrorTestSuites);
// Of the conformance kit, checks that need what an adapter declares it lacks; told, so that more of them are noticed.
const skipped = sum((run) => run.numPendingTests + run.numTodoTests);

console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);

import { rmSync } from "node:fs";
import { costOfRun } from "../cost/cost-of-run.ts";
import { dearestFiles } from "../cost/costs-of-files.ts";
import { isFullRun } from "../scope.ts";
import { runDirectory } from "./run-directory.ts";

/** Minutes that a whole run takes on two cores that do nothing else. */
const usual = 10;

/** The part of Jest's configuration that selects tests. */
interface Selection {
  readonly testPathPatterns: { readonly patterns: readonly string[] };
  readonly testNamePattern?: string;
  readonly shard?: object;
}

/** Jest's `globalTeardown`: removes the directory, and prints the cost of a whole run, and its time with the usual one. */
export default function removeRunDirectory(selection: Selection): void {
  const { testPathPatterns, testNamePattern, shard } = selection;
  const isWhole = testPathPatterns.patterns.length === 0 && testNamePattern === undefined && shard === undefined;
  if (isWhole && !isFullRun) {
    const minutes = (Date.now() - Number(process.env["SALLYPORT_TEST_START"])) / 60_000;
    process.stderr.write(`The tests took ${minutes.toFixed(1)} minutes. Two idle cores take some ${usual} minutes.\n`);
  }
  if (isWhole) process.stderr.write(dearestFiles(runDirectory()) + costOfRun(runDirectory()));
  rmSync(runDirectory(), { recursive: true, force: true, maxRetries: 10 });
}

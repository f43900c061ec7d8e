import { type CoverageOptions, reportCoverage, startCoverage } from "./report-coverage.ts";

/** A reporter for Vitest: `reporters: ["default", new VitestCoverageReporter({ min: 40 })]`. */
export class VitestCoverageReporter {
  constructor(private readonly options: CoverageOptions = {}) {
    // Vitest starts its workers later, with this environment.
    startCoverage(options);
  }

  async onTestRunEnd(): Promise<void> {
    const { failure } = await reportCoverage(this.options);
    if (failure !== null) process.exitCode = 1;
  }
}

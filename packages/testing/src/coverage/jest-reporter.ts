import { type CoverageOptions, reportCoverage, startCoverage } from "./report-coverage.ts";

/** A reporter for Jest: `reporters: ["default", ["@sallyport/testing/jest-reporter", { min: 40 }]]`. */
class JestCoverageReporter {
  #failure: string | null = null;

  constructor(
    _configuration: unknown,
    private readonly options: CoverageOptions = {},
  ) {
    // Jest starts its workers later, with this environment.
    startCoverage(options);
  }

  async onRunComplete(): Promise<void> {
    ({ failure: this.#failure } = await reportCoverage(this.options));
  }

  /** Jest fails the run for this error. */
  getLastError(): Error | undefined {
    return this.#failure === null ? undefined : new Error(this.#failure);
  }
}

export { JestCoverageReporter as default };

import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type CheckResult, type Totals, totalsOf } from "./check.ts";
import { UsageError } from "./command-line.ts";

/** A run as data. A breaking change increments `version`. */
export interface JsonReport {
  readonly format: "sallyport-acceptance" | "sallyport-devices";
  readonly version: 1;
  /** Version of the package. */
  readonly package: string;
  readonly url: string;
  readonly totals: Totals;
  readonly sections: readonly {
    readonly name: string;
    readonly totals: Totals;
    readonly checks: readonly CheckResult[];
  }[];
}

/** Writes the report of a run. Throws a `UsageError` if the file cannot be written. */
export async function writeJsonReport(
  file: string,
  format: JsonReport["format"],
  url: string,
  results: readonly CheckResult[],
): Promise<void> {
  const { version } = createRequire(import.meta.url)("../../package.json") as { readonly version: string };
  const sections = [...new Set(results.map(({ section }) => section))].map((name) => {
    const own = results.filter(({ section }) => section === name);
    const checks = own.map((each) => ({ ...each, duration: Math.round(each.duration) }));
    return { name, totals: totalsOf(own), checks };
  });
  const report: JsonReport = { format, version: 1, package: version, url, totals: totalsOf(results), sections };
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`, { cause: error });
  });
}

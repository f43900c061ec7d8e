import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ContractCoverage, contractCoverage } from "./contract-coverage.ts";
import { coverageBadge } from "./coverage-badge.ts";
import { coverageText } from "./coverage-text.ts";
import { folderVariable, readExercises, removeExercises } from "./exercises.ts";
import { type Minimum, parsedMinimum, shortfall } from "./minimum.ts";

export interface CoverageOptions {
  /** Folder of the recorded requests. Default: `SALLYPORT_COVERAGE`, else `coverage/sallyport`. */
  readonly folder?: string;
  /** Files for the coverage as JSON, and as an SVG badge. */
  readonly json?: string;
  readonly badge?: string;
  /** Least percentages. Default: `SALLYPORT_COVERAGE_MIN`, such as `40` or `routes=80,codes=40`, else 0. */
  readonly min?: Minimum;
  /** Receives the text. Default: standard output. */
  readonly write?: (text: string) => void;
}

export interface CoverageReport {
  readonly coverage: ContractCoverage;
  /** Why the coverage is too low; `null` if it is high enough. */
  readonly failure: string | null;
}

const minimumVariable = "SALLYPORT_COVERAGE_MIN";

function folderOf({ folder = process.env[folderVariable] ?? "" }: Pick<CoverageOptions, "folder">): string {
  return resolve(folder === "" ? "coverage/sallyport" : folder);
}

/**
 * Starts to record, and removes the records of the run before. Call it before the first service starts, in the process
 * that starts the others.
 */
export function startCoverage(options: Pick<CoverageOptions, "folder"> = {}): void {
  const folder = folderOf(options);
  mkdirSync(folder, { recursive: true });
  removeExercises([folder]);
  process.env[folderVariable] = folder;
}

/** Writes the coverage of all recorded requests. */
export async function reportCoverage(options: CoverageOptions = {}): Promise<CoverageReport> {
  return reportExercises([folderOf(options)], options);
}

/** Writes the coverage of folders and access logs. */
export async function reportExercises(
  sources: readonly string[],
  { json, badge, min, write = (text) => process.stdout.write(text) }: CoverageOptions,
): Promise<CoverageReport> {
  const coverage = contractCoverage(await readExercises(sources));
  write(coverageText(coverage));
  if (json !== undefined) store(json, `${JSON.stringify(coverage, null, 2)}\n`);
  if (badge !== undefined) store(badge, coverageBadge(coverage));
  const failure = shortfall(coverage, min ?? parsedMinimum(process.env[minimumVariable] ?? "0"));
  if (failure !== null) write(`${failure}\n`);
  return { coverage, failure };
}

function store(file: string, text: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, text);
}

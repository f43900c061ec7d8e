import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

export const usage = `Usage: sallyport-conformance <adapter module> [options]

Runs the checks of the storage contract on an adapter. The module's default export
is an AdapterUnderTest: its name, and how to create a storage for one check.

Options:
  --section <name>  only the checks of this section; may be given several times
  --check <name>    only this check; may be given several times
  --json <file>     writes the report as JSON, too
  --badge <file>    writes a badge, too: an SVG, or with the ending .json an endpoint of shields.io
  --differential <n>  instead of running checks, compares the adapter with the storage in
                    memory: by n random queries, and by random writes
  --seed <s>        the seed of a comparison that is to be had again
  --list            lists the sections and their checks, and runs none
  --help            prints this

Exit code: 0 if every check that applies has passed, 1 if one has failed or is
to be written (it came to an error called NotImplemented), 2 if it could not run.
Of a comparison: 0 without a difference, 1 with one.
`;

export interface CommandOptions {
  /** Path of the adapter's module; absent for `--list` and `--help`. */
  readonly module: string | undefined;
  readonly sections: readonly string[];
  readonly checks: readonly string[];
  /** Output files. */
  readonly json: string | undefined;
  readonly badge: string | undefined;
  /** Number of random queries to compare; absent: run checks. */
  readonly differential: number | undefined;
  readonly seed: number | undefined;
  readonly list: boolean;
  readonly help: boolean;
}

/** Parses the command line. Throws a `UsageError` on invalid arguments. */
export function commandOptions(args: readonly string[]): CommandOptions {
  const { values, positionals } = parsed(args);
  const [module, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`One adapter at a time: what is "${others[0]}"?`);
  const { section: sections = [], check: checks = [], json, badge, list = false, help = false } = values;
  if (module === undefined && !list && !help) throw new UsageError("The path of the adapter's module is missing.");
  const [differential, seed] = [
    wholeNumber("differential", values.differential, 1),
    wholeNumber("seed", values.seed, 0),
  ];
  if (differential === undefined && seed !== undefined)
    throw new UsageError("A seed is that of a comparison: --differential is missing.");
  if (differential !== undefined && sections.length + checks.length > 0)
    throw new UsageError("A comparison runs no checks: leave --section and --check out.");
  if (differential !== undefined && badge !== undefined)
    throw new UsageError("A badge tells of checks, not of a comparison.");
  return { module, sections, checks, json, badge, differential, seed, list, help };
}

function wholeNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < least)
    throw new UsageError(`--${option} takes a whole number from ${least} to 999999999.`);
  return number;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        section: { type: "string", multiple: true },
        check: { type: "string", multiple: true },
        json: { type: "string" },
        badge: { type: "string" },
        differential: { type: "string" },
        seed: { type: "string" },
        list: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

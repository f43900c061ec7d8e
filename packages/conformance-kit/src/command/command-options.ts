import { parseArgs } from "node:util";
import { parseSchedule } from "../schedules/index.ts";
import { UsageError } from "./usage-error.ts";

export const usage = `Usage: sallyport-conformance <adapter module> [options]

Run the checks of the storage contract on an adapter. The default export of the module
is an AdapterUnderTest: a name, and a function that creates a storage or a kernel for one
check.

Options:
  --section <name>    run only the checks of this section; repeatable
  --check <name>      run only this check; repeatable
  --reads <n>         reads of each check that reads beside a writer (default: 20)
  --json <file>       also write the report as JSON
  --badge <file>      also write a badge: an SVG, or a shields.io endpoint if the name ends in .json
  --speed             run no checks; measure operations among 1,000 and among --size objects and
                      sessions, and tell whether the work grows with them. With --badge, the
                      checks run, too, and the badge shows the light.
  --size <n>          objects and sessions of the large database (default: 100,000)
  --differential <n>  run no checks; compare the adapter with the memory storage by n random
                      queries and by random writes
  --seed <s>          seed of the comparison (default: random)
  --schedule <text>   run no checks; run transactions of a kernel in this order, as a failed check
                      prints it
  --list              list the sections and their checks
  --help              display help

Exit code: 0 if all applicable checks pass, 1 if a check fails or meets a NotImplemented
error, 2 if the command cannot run. Of a comparison or a schedule: 0 without a difference
or a race, 1 with one. Of a measurement alone: 0 without a red light, 1 with one.
`;

export interface CommandOptions {
  /** Path of the adapter's module; absent for `--list` and `--help`. */
  readonly module: string | undefined;
  readonly sections: readonly string[];
  readonly checks: readonly string[];
  /** Reads of a check that reads beside a writer; absent: those of the adapter. */
  readonly reads: number | undefined;
  /** Output files. */
  readonly json: string | undefined;
  readonly badge: string | undefined;
  /** Number of random queries to compare; absent: run checks. */
  readonly differential: number | undefined;
  readonly seed: number | undefined;
  /** Objects and sessions among which the speed is measured; absent: the speed is not measured. */
  readonly speed: number | undefined;
  /** A scenario and the order of its calls; absent: run checks. */
  readonly schedule: ReturnType<typeof parseSchedule> | undefined;
  readonly list: boolean;
  readonly help: boolean;
}

/** Parses the command line. Throws a `UsageError` on invalid arguments. */
export function commandOptions(args: readonly string[]): CommandOptions {
  const { values, positionals } = parsed(args);
  const [module, ...modules] = positionals;
  if (modules.length > 0) throw new UsageError(`Unexpected argument "${modules[0]}". Pass one adapter module.`);
  const { section: sections = [], check: checks = [], json, badge, list = false, help = false } = values;
  if (module === undefined && !list && !help) throw new UsageError("The path of the adapter module is missing.");
  const [differential, seed] = [
    wholeNumber("differential", values.differential, 1),
    wholeNumber("seed", values.seed, 0),
  ];
  if (differential === undefined && seed !== undefined) throw new UsageError("--seed requires --differential.");
  if (differential !== undefined && sections.length + checks.length > 0)
    throw new UsageError("--differential cannot be combined with --section or --check.");
  if (differential !== undefined && badge !== undefined)
    throw new UsageError("--differential cannot be combined with --badge.");
  const others =
    sections.length + checks.length + [differential, badge, json].filter((each) => each !== undefined).length;
  if (values.schedule !== undefined && others > 0)
    throw new UsageError("--schedule cannot be combined with --section, --check, --differential, --json or --badge.");
  const reads = wholeNumber("reads", values.reads, 1);
  const size = wholeNumber("size", values.size, 2_000);
  if (size !== undefined && values.speed !== true) throw new UsageError("--size requires --speed.");
  if (values.speed === true && (differential !== undefined || sections.length + checks.length > 0))
    throw new UsageError("--speed cannot be combined with --section, --check or --differential.");
  const speed = values.speed === true ? (size ?? 100_000) : undefined;
  const schedule = scheduleOf(values.schedule);
  if (schedule !== undefined && speed !== undefined)
    throw new UsageError("--schedule cannot be combined with --speed.");
  return { module, sections, checks, reads, json, badge, differential, seed, speed, schedule, list, help };
}

function scheduleOf(text: string | undefined): CommandOptions["schedule"] {
  if (text === undefined) return undefined;
  try {
    return parseSchedule(text);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function wholeNumber(option: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,9}$/.test(text) || number < least)
    throw new UsageError(`--${option} must be an integer from ${least} to 999999999.`);
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
        reads: { type: "string" },
        json: { type: "string" },
        badge: { type: "string" },
        differential: { type: "string" },
        seed: { type: "string" },
        speed: { type: "boolean" },
        size: { type: "string" },
        schedule: { type: "string" },
        list: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

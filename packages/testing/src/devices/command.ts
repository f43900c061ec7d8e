import { AssertionError } from "node:assert";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Check, CheckResult } from "../run/check.ts";
import { parsedArguments, runCommandLine, type Terminal, UsageError } from "../run/command-line.ts";
import { HumanReport } from "../run/human-report.ts";
import { writeJsonReport } from "../run/json-report.ts";
import { runChecks } from "../run/run-checks.ts";
import { type ReproductionWorld, reproductionModule } from "./reproduction-module.ts";
import { simulate, type SimulationFailure } from "./simulate.ts";
import { type World, worldAt } from "./world.ts";

export const usage = `Usage: sync-simulator (--url <address> --admin-key <key> | --world <module>) [options]

Simulate devices that synchronize with a server over an unreliable network while an
administrator changes objects, readers, groups, rights and the schema, and check that
devices lose nothing and receive only what their users can read. It creates classes,
users, groups and a schema of its own, and deletes its objects. Use a test database.

Server:
  --url <address>     address of a server; repeat it for servers on the same database
  --alias <alias>     alias of the database
  --admin-key <key>   app key of scope "admin"
  --user <name>       an administrator (default: admin)
  --password <text>   the administrator's password (default: admin)
  --world <module>    module whose default export is a World, which can also end servers and
                      restore the database

Options:
  --seeds <n>         number of scenarios (default: 100)
  --seed <s>          first seed, an integer (default: 1)
  --devices <n>       devices of a scenario (default: 3)
  --steps <n>         steps of a scenario (default: 16)
  --json <file>       also write the report as JSON
  --help              display help

Exit code: 0 without a failure, 1 with a failure, which is printed as a module,
2 if the command cannot run, 130 or 143 if SIGINT or SIGTERM ends it.
`;

/**
 * Runs the command `sync-simulator` and returns its exit code. `stop` ends it after the present scenario; its reason is
 * then the exit code.
 */
export function runCommand(args: readonly string[], terminal: Terminal, stop?: AbortSignal): Promise<number> {
  return runCommandLine(terminal, async () => {
    const options = optionsOf(args);
    if (options === null) {
      terminal.stdout.write(usage);
      return 0;
    }
    const world = await options.open();
    try {
      return await runScenarios(world, options, terminal.stdout, stop);
    } finally {
      await world.close?.();
    }
  });
}

/** Runs scenarios until one fails. */
async function runScenarios(
  world: World,
  { seed: first, seeds, devices, steps, json, reproduction, again }: CommandOptions,
  stdout: Terminal["stdout"],
  stop: AbortSignal | undefined,
): Promise<number> {
  const failures: SimulationFailure[] = [];
  const inabilities: unknown[] = [];
  const runSeed = async (seed: number) => {
    const failure = await simulate({ world, seed, devices, steps }).catch((error: unknown) => {
      inabilities.push(error);
      throw error;
    });
    if (failure === null) return;
    failures.push(failure);
    throw new AssertionError({ message: violationsOf(failure) });
  };
  const section = "scenarios";
  const checks = Array.from({ length: seeds }, (_, index): Check<World> => {
    const seed = first + index;
    return { section, title: `seed ${seed}`, mode: null, run: () => runSeed(seed) };
  });
  const report = new HumanReport(
    checks.map(() => section),
    { stdout, again: ({ title }) => `${again} --devices ${devices} --steps ${steps} --seeds 1 --${title}` },
  );
  const results: CheckResult[] = [];
  const note = (result: CheckResult) => {
    results.push(result);
    report.note(result);
  };
  report.start(world.baseUrl);
  await runChecks(world, checks, note, () => stop?.aborted === true || failures.length + inabilities.length > 0);
  if (inabilities.length > 0) throw inabilities[0];
  report.end();
  for (const failure of failures) {
    stdout.write(`\n${reproductionModule(failure, reproduction)}\n`);
    const { length } = failure.scenario.steps;
    stdout.write(`The scenario of seed ${failure.seed} fails. It is shrunk to ${length} steps above.\n`);
  }
  if (failures.length === 0 && stop?.aborted === true) {
    stdout.write("Interrupted: the other scenarios did not run.\n");
    return stop.reason as number;
  }
  if (json !== undefined) await writeJsonReport(json, "sallyport-devices", world.baseUrl, results);
  return failures.length === 0 ? 0 : 1;
}

function violationsOf({ violations }: SimulationFailure): string {
  return violations.map(({ kind, message }) => `${kind}: ${message}`).join("\n");
}

interface CommandOptions {
  readonly open: () => Promise<World>;
  /** The command for the same world, without secrets. */
  readonly again: string;
  readonly json: string | undefined;
  readonly reproduction: ReproductionWorld;
  readonly seeds: number;
  readonly seed: number;
  readonly devices: number;
  readonly steps: number;
}

/** `null` for `--help`. */
function optionsOf(args: readonly string[]): CommandOptions | null {
  const values = parsed(args);
  if (values.help === true) return null;
  const run = {
    seeds: wholeNumber("seeds", values.seeds, 100),
    seed: wholeNumber("seed", values.seed, 1),
    devices: wholeNumber("devices", values.devices, 3),
    steps: wholeNumber("steps", values.steps, 16),
    json: values.json,
  };
  const command = "npx --package @sallyport/testing sync-simulator";
  if (values.world !== undefined) {
    const file = resolve(values.world);
    const reproduction = { imports: [`import opened from ${JSON.stringify(file)};`], expression: "opened" };
    return { ...run, open: () => loadWorld(file), reproduction, again: `${command} --world ${file}` };
  }
  const { url: urls = [], "admin-key": adminKey, alias = "", user = "admin", password = "admin" } = values;
  if (urls.length === 0 || adminKey === undefined)
    throw new UsageError("--url and --admin-key are required, or --world.");
  const shown = `urls: ${JSON.stringify(urls)}, alias: ${JSON.stringify(alias)}, user: ${JSON.stringify(user)}`;
  return {
    ...run,
    open: () => Promise.resolve(worldAt({ urls, alias, adminKey, user, password })),
    again: [
      command,
      ...urls.map((url) => `--url ${url}`),
      ...(alias === "" ? [] : [`--alias ${alias}`]),
      `--user ${user} --password … --admin-key …`,
    ].join(" "),
    // Secrets stay out of the output.
    reproduction: {
      imports: [],
      expression: `worldAt({ ${shown}, adminKey: process.argv[2], password: process.argv[3] })`,
    },
  };
}

async function loadWorld(file: string): Promise<World> {
  const module = (await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be loaded: ${String(error)}`, { cause: error });
  })) as { readonly default?: World };
  if (module.default?.servers === undefined) throw new UsageError(`The default export of ${file} is not a World.`);
  return module.default;
}

function wholeNumber(option: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${option} must be an integer from 1 to 999999999.`);
  return Number(text);
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = {
    url: { type: "string", multiple: true },
    alias: text,
    "admin-key": text,
    user: text,
    password: text,
    world: text,
    seeds: text,
    seed: text,
    devices: text,
    steps: text,
    json: text,
    help: { type: "boolean", short: "h" },
  } as const;
  return parsedArguments({ args: [...args], options }).values;
}

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { types } from "node:util";
import type { JsonValue } from "@sallyport/storage";
import { MacroFault, type MacroRuntime } from "@sallyport/core";
import { Option } from "commander";
import { RecordedRuntime } from "../../authoring/recorded-runtime.ts";
import { judgeOutcome, type MacroTest, readTests } from "../../authoring/test-file.ts";
import { failureLines, faultLines, trialReport } from "../../authoring/trial-report.ts";
import { Trial } from "../../authoring/trial.ts";
import { servicesOf } from "../../composition/bindings/services.ts";
import { components } from "../../composition/components.ts";
import {
  type Configuration,
  type DatabaseConfiguration,
  demoMacros,
  loadConfiguration,
} from "../../configuration/index.ts";
import { CommandError } from "../../command-line/command-error.ts";
import type { AliasOptions, ServerCommand } from "../../command-line/server-command.ts";
import { chosen, type Container, loadWithDemoNote, withOpened } from "../../command-line/with-database.ts";

/** `macro run|test`. */
export function addTrialCommands(group: ServerCommand): void {
  group
    .command("run")
    .description("execute a macro as a user, print its result, log and calls, and roll back its changes")
    .argument("<name>", "name of the macro")
    .requiredOption("--as <user>", "user to execute the macro as; no password is needed")
    .option("--app-name <name...>", "app names of the session (default: all)")
    .option("--input <json>", "request body: JSON, or @ and the name of a file (default: none)")
    .option("--skip-checker", "skip the execution checker")
    .option("--configured", "use the configured database (default: the demo, in memory)")
    .option("--commit", "commit the changes; requires --configured")
    .addOption(macroFolderOption(", or that of the demo"))
    .withAlias()
    .addHelpText(
      "after",
      "\nThe result goes to standard output as JSON, everything else to standard error. The exit code is 1 if the macro fails.",
    )
    .action(run);
  group
    .command("test")
    .description("run the tests of macros, from <name>.test.json; roll back each test")
    .argument("[names...]", "names of macros (default: all with tests)")
    .option("--configured", "use the configured database (default: the demo, in memory)")
    .addOption(macroFolderOption(", or that of the demo"))
    .withAlias()
    .addHelpText("after", "\nThe exit code is 1 if a test fails.")
    .action((names: readonly string[], options: TrialOptions) =>
      withTrial(options, (opened) => testAll(names, opened)),
    );
}

interface TrialOptions extends AliasOptions, MacroFolderOptions {
  /** Whether to use the configured database instead of the demo in memory. */
  readonly configured?: true;
}

interface OpenedTrial {
  readonly trial: Trial;
  /** Directory of the macros; `null` if all macros are stored in the database. */
  readonly folder: string | null;
}

const macroServiceNames = [
  "cursorSealing",
  "macroReports",
  "macroRunner",
  "objectHooks",
  "slowQueries",
  "userGuard",
] as const;

/** Opens the database of a trial during `work`: the demo in memory, or a configured database. */
async function withTrial<T>(options: TrialOptions, work: (opened: OpenedTrial) => Promise<T>): Promise<T> {
  const { configuration, database } = options.configured ? configuredDatabase(options) : demoInMemory(options);
  let recorded: RecordedRuntime | undefined;
  const record = (container: Container) => {
    container.onActivation(
      components.macroRuntime,
      (_context, runtime: MacroRuntime) => (recorded = new RecordedRuntime(runtime)),
    );
    // No requests compete with the macro.
    container.onActivation(components.tuning, (_context, { macros, ...tuning }) => ({
      ...tuning,
      macros: { ...macros, threadPriority: 0 },
    }));
  };
  return withOpened(
    configuration,
    database,
    async ({ database: opened, container }) => {
      if (!options.configured) {
        await opened.storage.migrate();
        const { alias, storage, policy, fileCipher } = opened;
        await (await container.getAsync(components.demoSeeder)).seed({
          alias,
          storage,
          policy,
          fileCipher,
          files: null,
        });
      }
      const [services, digests, random] = await Promise.all([
        servicesOf(container, macroServiceNames),
        container.getAsync(components.digests),
        container.getAsync(components.random),
      ]);
      const runtime = recorded as RecordedRuntime;
      try {
        const trial = new Trial({ database: opened, services, digests, random, runtime });
        return await work({ trial, folder: database.macros.directory });
      } finally {
        await runtime.close();
      }
    },
    record,
  );
}

interface Chosen {
  readonly configuration: Configuration;
  readonly database: DatabaseConfiguration;
}

function configuredDatabase({ config, alias, directory }: TrialOptions): Chosen {
  const configuration = loadWithDemoNote(config);
  const database = chosen(configuration, alias);
  return {
    configuration,
    database:
      directory === undefined ? database : { ...database, macros: { directory: existing(trialFolder(directory)) } },
  };
}

/** The default demo with the configured macro limits. */
function demoInMemory({ config, directory }: TrialOptions): Chosen {
  const folder = existing(trialFolder(directory, config));
  // No log-in takes place, so the passwords need no protection.
  const passwords = { argon2: { memoryCost: 8, timeCost: 1 } };
  const databases = [{ alias: "", name: "demo", storage: { engine: "memory" }, macros: { directory: folder } }];
  const demo = loadConfiguration({ content: { databases, passwords }, environment: {} });
  const { macros } = loadConfiguration({ file: config });
  return {
    configuration: { ...demo, macros: { ...macros, watch: false } },
    database: demo.databases[0] as DatabaseConfiguration,
  };
}

function existing(folder: string): string {
  if (existsSync(folder)) return folder;
  throw new CommandError(
    `The directory ${folder} does not exist. Create a macro with "sallyport-server macro new <name>".`,
  );
}

export interface MacroFolderOptions {
  readonly directory?: string;
}

const ownFolder = "macros";

/** `--directory` for commands that work on macro files. */
export function macroFolderOption(otherwise: string): Option {
  return new Option(
    "-d, --directory <directory>",
    `directory of the macros (default: macros.directory, else ./${ownFolder}${otherwise})`,
  );
}

/** Directory for new macros: the given one, the configured one, or `./macros`. */
export function macroFolder(directory: string | undefined, config?: string): string {
  return resolve(directory ?? configuredFolder(config) ?? ownFolder);
}

/** Directory for trials: that of `writtenFolder`, or that of the demo if it does not exist. */
function trialFolder(directory: string | undefined, config?: string): string {
  const folder = macroFolder(directory, config);
  return directory === undefined && !existsSync(folder) ? (demoMacros() ?? folder) : folder;
}

/** The configured macro directory. The one of the demo is read-only and does not count. */
function configuredFolder(config: string | undefined): string | undefined {
  const { databases } = loadConfiguration({ file: config });
  const [directory] = databases.flatMap(({ macros }) => macros.directory ?? []);
  return directory === demoMacros() ? undefined : directory;
}

interface RunOptions extends TrialOptions {
  readonly as: string;
  readonly appName?: readonly string[];
  readonly input?: string;
  readonly skipChecker?: true;
  readonly commit?: true;
}

async function run(macro: string, options: RunOptions): Promise<void> {
  const { as: user, appName: appNames, skipChecker = false, commit = false } = options;
  if (commit && !options.configured) throw new CommandError("--commit requires --configured.");
  const input = options.input === undefined ? undefined : inputOf(options.input);
  await withTrial(options, async ({ trial, folder }) => {
    const outcome = await trial.run({ macro, user, appNames, input, skipChecker, commit });
    const { result, notes } = trialReport(outcome, macro, folder);
    if (result !== null) console.log(result);
    console.error([...notes, ...(commit ? [] : ["All changes were rolled back."])].join("\n"));
    if (outcome.error !== undefined) process.exitCode = 1;
  });
}

function inputOf(text: string): JsonValue {
  try {
    return JSON.parse(text.startsWith("@") ? readFileSync(text.slice(1), "utf8") : text) as JsonValue;
  } catch (error) {
    throw new CommandError(`--input is not valid JSON: ${types.isNativeError(error) ? error.message : "unknown"}`);
  }
}

const ending = ".test.json";

async function testAll(names: readonly string[], { trial, folder }: OpenedTrial): Promise<void> {
  if (folder === null) throw new CommandError("No macro directory is configured. Pass --directory.");
  const all = names.length > 0 ? names : namesIn(folder);
  if (all.length === 0) throw new CommandError(`There are no tests (*${ending}) in ${folder}.`);
  let [passed, failed] = [0, 0];
  // A broken macro without tests would go unnoticed.
  for (const { name, fault } of names.length > 0 ? [] : await trial.broken()) {
    const lines = fault instanceof MacroFault ? faultLines(fault, folder) : [fault.message];
    console.log([name, "  FAIL loads", ...lines.map((line) => `       ${line}`)].join("\n"));
    failed += 1;
  }
  for (const name of all) {
    const tests = await readTests(join(folder, name + ending));
    console.log(name);
    for (const test of tests) {
      const lines = await linesOf(name, test, trial, folder);
      console.log(
        [`  ${lines === null ? "ok  " : "FAIL"} ${test.title}`, ...(lines ?? []).map((line) => `       ${line}`)].join(
          "\n",
        ),
      );
      if (lines === null) passed += 1;
      else failed += 1;
    }
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

/** Lines that describe a failed test; `null` if it passed. */
async function linesOf(macro: string, test: MacroTest, trial: Trial, folder: string): Promise<string[] | null> {
  const { as: user, apps: appNames, input, skipChecker } = test;
  const outcome = await trial.run({ macro, user, appNames, input, skipChecker, commit: false });
  const fault = judgeOutcome(test, outcome);
  if (fault === null) return null;
  return [fault, ...(outcome.error === undefined ? [] : failureLines(outcome.error, folder))];
}

function namesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .toSorted();
}

import { existsSync } from "node:fs";
import type { MacroRuntime } from "@sallyport/core";
import { RecordedRuntime } from "../../authoring/recorded-runtime.ts";
import { Trial } from "../../authoring/trial.ts";
import { identifiers } from "../../composition/identifiers.ts";
import { type Configuration, type DatabaseConfiguration, loadConfiguration } from "../../configuration/index.ts";
import { CommandError } from "../command-error.ts";
import { type AliasOptions } from "../databases/alias-option.ts";
import { chosen, type Container, loadNoting, withOpened } from "../databases/with-database.ts";
import { type MacroFolderOptions, trialFolder } from "./macro-folder.ts";

export interface TrialOptions extends AliasOptions, MacroFolderOptions {
  /** On the database of the configuration, instead of the demo in memory. */
  readonly configured?: true;
}

export interface OpenedTrial {
  readonly trial: Trial;
  /** The folder whose macros are there; `null` if there are none but those in the database. */
  readonly folder: string | null;
}

/** Opens what macros are tried out on, for the time of some work: the demo in memory, or a configured database. */
export async function withTrial<T>(options: TrialOptions, work: (opened: OpenedTrial) => Promise<T>): Promise<T> {
  const { configuration: configured, database } = options.configured
    ? configuredDatabase(options)
    : demoInMemory(options);
  // There are no requests here that the macro would have to stand back behind.
  const configuration = { ...configured, macros: { ...configured.macros, niceness: 0 } };
  let recorded: RecordedRuntime | undefined;
  const record = (container: Container) =>
    container.onActivation(
      identifiers.macroRuntime,
      (_context, runtime: MacroRuntime) => (recorded = new RecordedRuntime(runtime)),
    );
  return withOpened(
    configuration,
    database,
    async ({ database: opened, container }) => {
      if (!options.configured) {
        await opened.storage.migrate();
        await (await container.getAsync(identifiers.demoSeeder)).seed(opened);
      }
      const [executeMacro, digests, random] = await Promise.all([
        container.getAsync(identifiers.executeMacro),
        container.getAsync(identifiers.digests),
        container.getAsync(identifiers.random),
      ]);
      const runtime = recorded as RecordedRuntime;
      try {
        const trial = new Trial({ database: opened, executeMacro, digests, random, runtime });
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
  const configuration = loadNoting(config);
  const database = chosen(configuration, alias);
  return {
    configuration,
    database:
      directory === undefined ? database : { ...database, macros: { directory: existing(trialFolder(directory)) } },
  };
}

/** The demo as it is by default, with the limits of macros that are configured. */
function demoInMemory({ config, directory }: TrialOptions): Chosen {
  const folder = existing(trialFolder(directory, config));
  // Nobody logs in, so the passwords need no protection.
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
  throw new CommandError(`There is no folder ${folder}. "sallyport-server macro new <name>" begins a macro.`);
}

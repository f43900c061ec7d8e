import { type AdministrationContext, administrationOf, type Database, type Uses } from "@sallyport/core";
import { pino } from "pino";
import { type CommandServices, servicesOf } from "../composition/bindings/services.ts";
import { createContainer } from "../composition/create-container.ts";
import { databaseDiagnostics } from "../composition/storages/database-diagnostics.ts";
import { components } from "../composition/components.ts";
import { directoriesWithoutDatabase } from "../composition/storages/embedded.ts";
import { StorageEngines } from "../composition/storages/storage-engines.ts";
import {
  type Configuration,
  type DatabaseConfiguration,
  demoNote,
  folderProblem,
  loadConfiguration,
} from "../configuration/index.ts";
import { CommandError } from "./command-error.ts";

export type Container = ReturnType<typeof createContainer>;

export interface OpenedDatabase {
  readonly database: Database;
  readonly administration: AdministrationContext;
  /** Creates the context of a use case that needs these services. */
  readonly serving: <Name extends keyof CommandServices>(
    ...names: readonly Name[]
  ) => Promise<AdministrationContext & Uses<Pick<CommandServices, Name>>>;
  /** Creates further parts on demand. */
  readonly container: Container;
}

/** Opens the selected database during `work`. Throws if the database does not exist. */
export async function withDatabase<T>(
  { config, alias }: { readonly config?: string; readonly alias?: string },
  work: (opened: OpenedDatabase) => Promise<T>,
): Promise<T> {
  const configuration = loadWithDemoNote(config);
  return withExisting(configuration, chosen(configuration, alias), work);
}

/** Opens one database of a configuration during `work`. Throws if it does not exist. */
export async function withExisting<T>(
  configuration: Configuration,
  target: DatabaseConfiguration,
  work: (opened: OpenedDatabase) => Promise<T>,
): Promise<T> {
  // A missing embedded database indicates a wrong directory.
  const [missing] = await directoriesWithoutDatabase([target]);
  if (missing !== undefined) {
    const problem = folderProblem(missing, { mayBeMissing: true, written: true });
    if (problem !== null) throw new CommandError(`The data directory ${missing} (DATA_DIR) ${problem}.`);
    throw new CommandError(`There is no database in ${missing}. Run "sallyport-server migrate" first.`);
  }
  return withOpened(configuration, target, work);
}

/** All databases that a command can reach. */
export function reachable({ databases }: Configuration): readonly DatabaseConfiguration[] {
  const found = databases.filter(({ storage }) => storage !== null && storage.engine !== "memory");
  if (found.length > 0) return found;
  throw new CommandError("No database can be reached by a command: all are in memory or without storage.");
}

/** Loads the configuration and prints a note if it is the demo. */
export function loadWithDemoNote(file: string | undefined): Configuration {
  const configuration = loadConfiguration({ file });
  const note = demoNote(configuration);
  if (note !== null) console.error(`note: ${note}`);
  return configuration;
}

/** Opens or creates one database of a configuration during `work`. `prepare` runs before any part is created. */
export async function withOpened<T>(
  configuration: Configuration,
  chosenOne: DatabaseConfiguration,
  work: (opened: OpenedDatabase) => Promise<T>,
  prepare: (container: Container) => void = () => {},
): Promise<T> {
  for (const directory of await directoriesWithoutDatabase([chosenOne])) {
    console.error(`Creating the database in ${directory}. This takes a few seconds.`);
  }
  const container = createContainer(
    { ...configuration, databases: [chosenOne] },
    pino({ enabled: false }),
    new StorageEngines(true),
  );
  const engines = container.get(components.engines);
  prepare(container);
  try {
    const database = (await container.getAsync(components.databases)).get(chosenOne.alias);
    if (!database) throw new CommandError(`The database ${nameOf(chosenOne)} has no storage.`);
    const administration = administrationOf(database);
    return await work({
      database,
      administration,
      serving: async (...names) => ({ ...administration, services: await servicesOf(container, names) }),
      container,
    });
  } catch (error) {
    const diagnostics = databaseDiagnostics(error, chosenOne.storage);
    throw diagnostics === null ? error : new CommandError(diagnostics, { cause: error });
  } finally {
    await engines.close();
  }
}

/** Name of a database in messages: its alias in quotation marks, or `(empty)`. */
export function nameOf({ alias }: Pick<DatabaseConfiguration, "alias">): string {
  return alias === "" ? "(empty)" : `"${alias}"`;
}

/** The database with this alias. Without an alias: the one with the empty alias, or the only one. */
export function chosen({ databases }: Configuration, alias: string | undefined): DatabaseConfiguration {
  const [first] = databases;
  const found =
    databases.find((each) => each.alias === (alias ?? "")) ??
    (alias === undefined && databases.length === 1 ? first : undefined);
  if (found === undefined) {
    const names = databases.map(nameOf).join(", ");
    throw new CommandError(
      alias === undefined
        ? `Select a database with --alias: ${names}.`
        : `There is no database "${alias}". The configuration has: ${names}.`,
    );
  }
  if (found.storage?.engine === "memory") {
    throw new CommandError(`The database ${nameOf(found)} is in memory. A command cannot reach it.`);
  }
  return found;
}

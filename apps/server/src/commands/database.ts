import { isDeepStrictEqual } from "node:util";
import { type ClassDefinition, describeCapabilities } from "@sallyport/storage";
import { recoverDatabase, reserveUserNames, restartSync, alignIndexes } from "@sallyport/core";
import { components } from "../composition/components.ts";
import { type DatabaseConfiguration, isLoopbackHost, readModelFile } from "../configuration/index.ts";
import { describeError } from "../command-line/report-failure.ts";
import { CommandError } from "../command-line/command-error.ts";
import type { AliasOptions, ServerCommand } from "../command-line/server-command.ts";
import {
  chosen,
  loadWithDemoNote,
  nameOf,
  type OpenedDatabase,
  withExisting,
  withOpened,
} from "../command-line/with-database.ts";

interface MigrateOptions extends AliasOptions {
  readonly model?: string;
}

/** `migrate`: migrates databases to the latest version. */
export function defineMigrate(command: ServerCommand): void {
  command
    .option("-m, --model <file>", "file with the classes of a new database (default: User, Employee and ContactPerson)")
    .withAlias("all databases")
    .action(migrate);
}

/** The same database for a command that must reach it although servers refuse it. */
function evenAfterLostWrites(each: DatabaseConfiguration): DatabaseConfiguration {
  const { storage } = each;
  return storage?.engine === "postgres" ? { ...each, storage: { ...storage, afterLossyFailover: "warn" } } : each;
}

async function migrate({ config, alias, model }: MigrateOptions): Promise<void> {
  const configuration = loadWithDemoNote(config);
  const selected = configuration.databases.filter((each) => alias === undefined || each.alias === alias);
  if (selected.length === 0) throw new CommandError(`There is no database "${alias}".`);
  const classes = await readModelFile(model);
  const failures: string[] = [];
  for (const each of selected) {
    const label = `database ${nameOf(each)}`;
    if (each.storage === null || each.storage.engine === "memory") {
      console.log(`${label}: nothing to migrate`);
      continue;
    }
    try {
      const done = await withOpened(configuration, evenAfterLostWrites(each), (opened) => migrateOne(opened, classes));
      console.log(`${label}: ${done.changes.length === 0 ? "up to date" : done.changes.join("; ")}`);
      console.log(`  ${done.capabilities.join(", ")}`);
      if (model !== undefined && done.otherClasses.length > 0) {
        console.log(
          `  differs from the model file, which applies to new databases only: ${done.otherClasses.join(", ")}`,
        );
      }
    } catch (error) {
      failures.push(`${label}: ${describeError(error)}`);
    }
  }
  if (failures.length > 0) throw new CommandError(failures.join("\n       "));
}

/**
 * Migrates one database and aligns its indexes, because the role of the servers may lack the right to build them.
 * Returns the changes, the storage capabilities, and the names of classes whose definition differs from the given one.
 */
async function migrateOne({ database }: OpenedDatabase, classes: readonly ClassDefinition[]) {
  const { storage } = database;
  const { applied } = await storage.migrate(classes);
  // Required even without migrations: servers of an earlier version may have created users since.
  await reserveUserNames(database);
  const report = await alignIndexes(storage);
  const changed = report === "busy" ? 0 : report.built.length + report.removed;
  const changes = [
    ...(applied.length === 0 ? [] : [`applied ${applied.join(", ")}`]),
    ...(changed === 0 ? [] : [`built or removed indexes: ${changed}`]),
  ];
  const stored = new Map((await storage.repositories.model.load()).classes.map((each) => [each.name, each]));
  const otherClasses = classes
    .filter((each) => !isDeepStrictEqual(each, stored.get(each.name)))
    .map(({ name }) => name);
  return { changes, capabilities: [...describeCapabilities(storage.capabilities).values()], otherClasses };
}

/** `seed`: adds the demo data to an empty database. */
export function defineSeed(command: ServerCommand): void {
  command
    .withAlias()
    .addHelpText(
      "after",
      "\nThe passwords of the demo are public. The command refuses production and a HOST that is not loopback.",
    )
    .action(seed);
}

async function seed(options: AliasOptions): Promise<void> {
  const configuration = loadWithDemoNote(options.config);
  const { production, server } = configuration;
  if (production)
    throw new CommandError("The passwords of the demo are public. It cannot be used with NODE_ENV=production.");
  if (!isLoopbackHost(server.host)) {
    throw new CommandError(
      `The passwords of the demo are public. It cannot be used while the server listens on ${server.host}.`,
    );
  }
  const target = chosen(configuration, options.alias);
  await withOpened(configuration, target, async ({ container, database }) => {
    if (target.migrateOnStart && (await database.storage.migrate(await readModelFile())).applied.length > 0)
      await reserveUserNames(database);
    await (await container.getAsync(components.fileKeeper)).prepare(database);
    const state = await (await container.getAsync(components.demoSeeder)).seed(database);
    if (state === "foreign") throw new CommandError("The database is not empty. The demo data was not added.");
    console.log(state === "seeded" ? "Added the demo data." : "The database already contains the demo data.");
  });
}

/** `restart-sync`: makes all devices synchronize from the beginning. */
export function defineRestartSync(command: ServerCommand): void {
  command
    .addHelpText(
      "after",
      "\nRun it after a backup of the database engine was restored, before the servers start. Devices keep the edits that they have not pushed.",
    )
    .onDatabase(() => async ({ administration }) => {
      await restartSync(administration);
      console.log("All devices synchronize from the beginning.");
    });
}

interface RecoverOptions extends AliasOptions {
  readonly force?: true;
  readonly nothingLost?: true;
  readonly allSessions?: true;
}

/** `recover`: lets servers use a database that may have lost writes. */
export function defineRecover(command: ServerCommand): void {
  command
    .option("--nothing-lost", "accept the database as it is: you know that no write was lost")
    .option("--force", "recover although no server has noticed a loss, such as after a restore")
    .option("--all-sessions", "end the sessions of all modes, not only secure ones")
    .withAlias()
    .addHelpText(
      "after",
      "\nThe command ends sessions, skips ids and numbers, and makes all devices synchronize from the beginning. It can be repeated.\nRun it as the role that owns the schema.",
    )
    .action(recover);
}

async function recover(options: RecoverOptions): Promise<void> {
  const { force = false, nothingLost = false, allSessions = false } = options;
  if (nothingLost && (force || allSessions))
    throw new CommandError("--nothing-lost cannot be combined with --force or --all-sessions.");
  const configuration = loadWithDemoNote(options.config);
  const target = chosen(configuration, options.alias);
  await withExisting(configuration, evenAfterLostWrites(target), async ({ administration, container }) => {
    const { storage } = target;
    const recovery = storage === null ? null : await container.get(components.engines).recovery(storage);
    if (recovery === null) throw new CommandError("A database of this engine cannot be recovered.");
    const sessions = allSessions ? "all" : "secure";
    const outcome = await recoverDatabase(administration, recovery, { force, nothingLost, sessions });
    if (outcome === "changed") throw new CommandError("The database server has failed over. Run the command again.");
    console.log(recoveries[outcome]);
  });
}

const recoveries = {
  recovered: "The database is recovered. Servers use it within a second.",
  accepted: "The database is accepted as it is. Servers use it within a second.",
  nothing: "There is nothing to recover.",
};

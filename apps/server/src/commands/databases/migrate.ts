import { isDeepStrictEqual } from "node:util";
import { capabilityWords, type ClassDefinition, reserveUserNames } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { readModelFile } from "../../configuration/index.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { plainWords } from "../plain-words.ts";
import { type AliasOptions, aliasOption } from "./alias-option.ts";
import { loadNoting, nameOf, type OpenedDatabase, withOpened } from "./with-database.ts";

interface MigrateOptions extends AliasOptions {
  readonly model?: string;
}

/** `migrate`: brings databases to the newest version. */
export function migrateCommand(): Command {
  return new Command("migrate")
    .description(
      "bring the databases to the newest version, and tell what their storage can do; safe while servers are running",
    )
    .option(
      "-m, --model <file>",
      "model file with the classes of a new database (default: User with Employee and ContactPerson)",
    )
    .addOption(aliasOption("every database"))
    .addOption(configurationOption())
    .action(migrate);
}

async function migrate({ config, alias, model }: MigrateOptions): Promise<void> {
  const configuration = loadNoting(config);
  const chosen = configuration.databases.filter((each) => alias === undefined || each.alias === alias);
  if (chosen.length === 0) throw new CommandError(`There is no database "${alias}".`);
  const classes = await readModelFile(model);
  const failures: string[] = [];
  for (const each of chosen) {
    const label = `database ${nameOf(each)}`;
    if (each.storage === null || each.storage.engine === "memory") {
      console.log(`${label}: nothing to migrate`);
      continue;
    }
    try {
      const done = await withOpened(configuration, each, (opened) => migrateOne(opened, classes));
      console.log(`${label}: ${done.changes.length === 0 ? "up to date" : done.changes.join("; ")}`);
      console.log(`  ${done.capabilities.join(", ")}`);
      if (model !== undefined && done.otherClasses.length > 0) {
        console.log(`  not as in the model file, which is for new databases: ${done.otherClasses.join(", ")}`);
      }
    } catch (error) {
      failures.push(`${label}: ${plainWords(error)}`);
    }
  }
  if (failures.length > 0) throw new CommandError(failures.join("\n       "));
}

interface Migrated {
  /** In words. */
  readonly changes: readonly string[];
  /** In words. */
  readonly capabilities: readonly string[];
  /** Names of classes of the model file whose definition in the database is another one. */
  readonly otherClasses: readonly string[];
}

/** Indexes, too: the role of the servers may lack the right to build them. */
async function migrateOne(
  { database, container }: OpenedDatabase,
  classes: readonly ClassDefinition[],
): Promise<Migrated> {
  const { storage } = database;
  const { applied } = await storage.migrate(classes);
  // Also when nothing was applied: servers of a former version may have created users since.
  await reserveUserNames(database);
  const report = await (await container.getAsync(identifiers.alignIndexes)).run(storage);
  const changed = report === "busy" ? 0 : report.built.length + report.removed;
  const changes = [
    ...(applied.length === 0 ? [] : [`applied ${applied.join(", ")}`]),
    ...(changed === 0 ? [] : [`built or removed indexes: ${changed}`]),
  ];
  const stored = new Map((await storage.repositories.model.load()).classes.map((each) => [each.name, each]));
  const otherClasses = classes
    .filter((each) => !isDeepStrictEqual(each, stored.get(each.name)))
    .map(({ name }) => name);
  return { changes, capabilities: [...capabilityWords(storage.capabilities).values()], otherClasses };
}

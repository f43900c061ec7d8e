import { capabilityWords, reserveUserNames } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { plainWords } from "../plain-words.ts";
import { type AliasOptions, aliasOption } from "./alias-option.ts";
import { loadNoting, nameOf, type OpenedDatabase, withOpened } from "./with-database.ts";

/** `migrate`: brings databases to the newest version. */
export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring the databases to the newest version, and tell what their storage can do; safe while servers are running")
    .addOption(aliasOption("every database"))
    .addOption(configurationOption())
    .action(migrate);
}

async function migrate({ config, alias }: AliasOptions): Promise<void> {
  const configuration = loadNoting(config);
  const chosen = configuration.databases.filter((each) => alias === undefined || each.alias === alias);
  if (chosen.length === 0) throw new CommandError(`There is no database "${alias}".`);
  const failures: string[] = [];
  for (const each of chosen) {
    const label = `database ${nameOf(each)}`;
    if (each.storage === null || each.storage.engine === "memory") {
      console.log(`${label}: nothing to migrate`);
      continue;
    }
    try {
      const done = await withOpened(configuration, each, migrateOne);
      console.log(`${label}: ${done.changes.length === 0 ? "up to date" : done.changes.join("; ")}`);
      console.log(`  ${done.capabilities.join(", ")}`);
    } catch (error) {
      failures.push(`${label}: ${plainWords(error)}`);
    }
  }
  if (failures.length > 0) throw new CommandError(failures.join("\n       "));
}

/** Both in words. */
interface Migrated {
  readonly changes: readonly string[];
  readonly capabilities: readonly string[];
}

/** Indexes, too: the role of the servers may lack the right to build them. */
async function migrateOne({ database, container }: OpenedDatabase): Promise<Migrated> {
  const { storage } = database;
  const { applied } = await storage.migrate();
  // Also when nothing was applied: servers of a former version may have created users since.
  await reserveUserNames(database);
  const report = await (await container.getAsync(identifiers.alignIndexes)).run(storage);
  const changed = report === "busy" ? 0 : report.built.length + report.removed;
  const changes = [
    ...(applied.length === 0 ? [] : [`applied ${applied.join(", ")}`]),
    ...(changed === 0 ? [] : [`built or removed indexes: ${changed}`]),
  ];
  return { changes, capabilities: [...capabilityWords(storage.capabilities).values()] };
}

import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { plainWords } from "../plain-words.ts";
import { type AliasOptions, aliasOption } from "./alias-option.ts";
import { loadNoting, nameOf, withOpened } from "./with-database.ts";

/** `migrate`: brings databases to the newest version. */
export function migrateCommand(): Command {
  return new Command("migrate")
    .description("bring the databases to the newest version; safe while servers are running")
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
      const { applied } = await withOpened(configuration, each, ({ database }) => database.storage.migrate());
      console.log(`${label}: ${applied.length === 0 ? "up to date" : `applied ${applied.join(", ")}`}`);
    } catch (error) {
      failures.push(`${label}: ${plainWords(error)}`);
    }
  }
  if (failures.length > 0) throw new CommandError(failures.join("\n       "));
}

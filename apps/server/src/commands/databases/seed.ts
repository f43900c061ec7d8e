import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { isLoopbackHost, loadConfiguration } from "../../configuration/index.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "./alias-option.ts";
import { withDatabase } from "./with-database.ts";

/** `seed`: puts the demo into an empty database. */
export function seedCommand(): Command {
  return new Command("seed")
    .description("put the demo's data, users and app key into an empty database")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .addHelpText("after", "\nThe demo's passwords are known to everybody: it is refused in production and where the server listens beyond loopback.")
    .action(seed);
}

async function seed(options: AliasOptions): Promise<void> {
  const { production, server, databases } = loadConfiguration({ file: options.config });
  if (production) throw new CommandError("The demo's passwords are known to everybody: not with NODE_ENV=production.");
  if (!isLoopbackHost(server.host)) {
    throw new CommandError(`The demo's passwords are known to everybody: not while the server listens on ${server.host}.`);
  }
  await withDatabase(options, async ({ container, database }) => {
    if (databases.find(({ alias }) => alias === database.alias)?.migrateOnStart === true) await database.storage.migrate();
    const state = await (await container.getAsync(identifiers.demoSeeder)).seed(database);
    if (state === "foreign") throw new CommandError("The database is not empty; the demo was not put into it.");
    console.log(state === "seeded" ? "The demo is in the database." : "The demo was in the database already.");
  });
}

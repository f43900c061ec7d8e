import { reserveUserNames } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { isLoopbackHost, readModelFile } from "../../configuration/index.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "./alias-option.ts";
import { chosen, loadNoting, withOpened } from "./with-database.ts";

/** `seed`: puts the demo into an empty database. */
export function seedCommand(): Command {
  return new Command("seed")
    .description("put the demo's data, users and app key into an empty database")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .addHelpText(
      "after",
      "\nThe demo's passwords are known to everybody: it is refused in production and where the server listens beyond loopback.",
    )
    .action(seed);
}

async function seed(options: AliasOptions): Promise<void> {
  const configuration = loadNoting(options.config);
  const { production, server } = configuration;
  if (production) throw new CommandError("The demo's passwords are known to everybody: not with NODE_ENV=production.");
  if (!isLoopbackHost(server.host)) {
    throw new CommandError(
      `The demo's passwords are known to everybody: not while the server listens on ${server.host}.`,
    );
  }
  const target = chosen(configuration, options.alias);
  await withOpened(configuration, target, async ({ container, database }) => {
    if (target.migrateOnStart && (await database.storage.migrate(await readModelFile())).applied.length > 0)
      await reserveUserNames(database);
    const state = await (await container.getAsync(identifiers.demoSeeder)).seed(database);
    if (state === "foreign") throw new CommandError("The database is not empty; the demo was not put into it.");
    console.log(state === "seeded" ? "The demo is in the database." : "The demo was in the database already.");
  });
}

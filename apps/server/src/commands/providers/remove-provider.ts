import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { providerArgument, typeOf } from "./provider-argument.ts";

/** `provider remove`. */
export function removeProviderCommand(): Command {
  return new Command("remove")
    .description(
      "take a provider out of a database; accounts stay bound, and are good for nothing until it is registered again",
    )
    .addArgument(providerArgument())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(remove);
}

async function remove(word: string, options: AliasOptions): Promise<void> {
  const type = typeOf(word);
  await withDatabase(options, async ({ container, database }) => {
    const removed = await (await container.getAsync(identifiers.removeProvider)).run(database, type);
    if (!removed) throw new CommandError(`The provider ${type} is not registered.`);
    console.log(`The provider ${type} is not registered any more.`);
  });
}

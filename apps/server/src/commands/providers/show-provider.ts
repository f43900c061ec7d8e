import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { openedEntry } from "./opened-entry.ts";
import { providerArgument, typeOf } from "./provider-argument.ts";

/** `provider show`. */
export function showProviderCommand(): Command {
  return new Command("show")
    .description("print what is registered of a provider as JSON, without its secrets")
    .addArgument(providerArgument())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(show);
}

async function show(word: string, options: AliasOptions): Promise<void> {
  const type = typeOf(word);
  const shown = await withDatabase(options, async (opened) => {
    const entry = await opened.database.storage.repositories.identityProviders.find(type);
    return entry === null ? null : openedEntry(opened, entry);
  });
  if (shown === null) throw new CommandError(`The provider ${type} is not registered.`);
  console.log(JSON.stringify(shown, null, 2));
}

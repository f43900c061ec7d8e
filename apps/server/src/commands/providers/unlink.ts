import { isUuid } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { allParts } from "../lists/all-parts.ts";

/** `provider unlink`. */
export function unlinkCommand(): Command {
  return new Command("unlink")
    .description("unbind an account of a provider; the sessions that it opened end at once")
    .argument("<id>", 'id of the link, as "provider links" tells it')
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(unlink);
}

async function unlink(id: string, options: AliasOptions): Promise<void> {
  if (!isUuid(id)) throw new CommandError(`"${id}" is no id of a link.`);
  await withDatabase(options, async ({ container, database }) => {
    const links = await allParts(
      (...part) => database.storage.repositories.identityLinks.list(...part),
      (each) => each.id,
    );
    const link = links.find((each) => each.id === id.toLowerCase());
    const removed =
      link !== undefined && (await (await container.getAsync(identifiers.removeLink)).run(database, link));
    if (!removed) throw new CommandError("There is no such link.");
    console.log(`The account at ${link.provider} is not bound any more.`);
  });
}

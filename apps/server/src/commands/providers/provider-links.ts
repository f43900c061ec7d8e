import { allParts, isUuid, listLinks, removeLink } from "@sallyport/core";
import { Command } from "commander";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { listCommand } from "../list-command.ts";
import { withDatabase } from "../with-database.ts";

/** `provider links`. */
export function listLinksCommand(): Command {
  return listCommand({
    plural: "accounts that are bound",
    read: ({ administration }) =>
      allParts(
        (part) => listLinks(administration, part),
        ({ id }) => id,
      ),
    json: ({ id, provider, user, shared, displayName, email, issuer, subject, linkedAt }) => ({
      id,
      provider,
      user,
      shared,
      displayName,
      email,
      issuer,
      subject,
      linkedAt: new Date(linkedAt).toISOString(),
    }),
    columns: {
      ID: ({ id }) => id,
      PROVIDER: ({ provider }) => provider,
      USER: ({ user }) => user,
      BOUND: ({ shared }) => (shared ? "by the server" : "by himself"),
      NAME: ({ displayName }) => displayName ?? "",
      EMAIL: ({ email }) => email ?? "",
      SINCE: ({ linkedAt }) => new Date(linkedAt).toISOString(),
    },
  })
    .name("links")
    .description("list the accounts of providers that are bound to users");
}

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
  await withDatabase(options, async ({ administration }) => {
    const { provider } = await removeLink(administration, id.toLowerCase());
    console.log(`The account at ${provider} is not bound any more.`);
  });
}

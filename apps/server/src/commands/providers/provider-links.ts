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
        ({ link }) => link.id,
      ),
    json: ({ user, link: { createdAt, value } }) => {
      const { id, provider, shared, displayName, email, issuer, subject } = value;
      const linkedAt = new Date(createdAt).toISOString();
      return { id, provider, user, shared, displayName, email, issuer, subject, linkedAt };
    },
    columns: {
      ID: ({ link }) => link.value.id,
      PROVIDER: ({ link }) => link.value.provider,
      USER: ({ user }) => user,
      BOUND: ({ link }) => (link.value.shared ? "by the server" : "by the user"),
      NAME: ({ link }) => link.value.displayName ?? "",
      EMAIL: ({ link }) => link.value.email ?? "",
      SINCE: ({ link }) => new Date(link.createdAt).toISOString(),
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

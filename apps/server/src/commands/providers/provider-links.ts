import { allParts, type IdentityLink, isUuid } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { listCommand } from "../list-command.ts";
import { type OpenedDatabase, withDatabase } from "../with-database.ts";

interface ListedLink extends IdentityLink {
  /** Login name of the user. */
  readonly user: string;
}

/** `provider links`. */
export function listLinksCommand(): Command {
  return listCommand({
    plural: "accounts that are bound",
    read: readLinks,
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

async function readLinks({ database: { storage } }: OpenedDatabase): Promise<ListedLink[]> {
  const { identityLinks, accounts } = storage.repositories;
  const links = await allParts(
    ({ after, limit }) => identityLinks.list(after, limit),
    ({ id }) => id,
  );
  const names = new Map<string, string>();
  for (const userId of new Set(links.map((link) => link.userId)))
    names.set(userId, (await accounts.byUser(userId, [])).account?.loginName ?? "");
  return links.map((link) => ({ ...link, user: names.get(link.userId) ?? "" }));
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
  await withDatabase(options, async ({ container, database }) => {
    const links = await allParts(
      ({ after, limit }) => database.storage.repositories.identityLinks.list(after, limit),
      (each) => each.id,
    );
    const link = links.find((each) => each.id === id.toLowerCase());
    const removed =
      link !== undefined && (await (await container.getAsync(identifiers.removeLink)).run(database, link));
    if (!removed) throw new CommandError("There is no such link.");
    console.log(`The account at ${link.provider} is not bound any more.`);
  });
}

import { type IdentityLink, identityLinkKind, isUuid, type Storage, type StoredRecord } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { allParts, listCommand } from "../list-command.ts";
import { type OpenedDatabase, withDatabase } from "../with-database.ts";

interface ListedLink {
  readonly link: StoredRecord<IdentityLink>;
  /** Login name of the user. */
  readonly user: string;
}

/** `provider links`. */
export function listLinksCommand(): Command {
  return listCommand({
    plural: "accounts that are bound",
    read: readLinks,
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

async function readLinks({ database: { storage } }: OpenedDatabase): Promise<ListedLink[]> {
  const { accounts } = storage.repositories;
  const links = await allLinks(storage);
  const names = new Map<string, string>();
  for (const userId of new Set(links.map((link) => link.value.userId)))
    names.set(userId, (await accounts.find({ id: userId }, [])).account?.loginName ?? "");
  return links.map((link) => ({ link, user: names.get(link.value.userId) ?? "" }));
}

function allLinks({ repositories: { records } }: Storage): Promise<StoredRecord<IdentityLink>[]> {
  return allParts(
    (after, limit) => records.list(identityLinkKind, { after, limit }),
    ({ id }) => id,
  );
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
    const link = (await allLinks(database.storage)).find(({ value }) => value.id === id.toLowerCase());
    const removed =
      link !== undefined && (await (await container.getAsync(identifiers.removeLink)).run(database, link));
    if (!removed) throw new CommandError("There is no such link.");
    console.log(`The account at ${link.value.provider} is not bound any more.`);
  });
}

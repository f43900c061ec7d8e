import type { IdentityLink } from "@sallyport/core";
import type { Command } from "commander";
import type { OpenedDatabase } from "../databases/with-database.ts";
import { allParts } from "../lists/all-parts.ts";
import { listCommand } from "../lists/list-command.ts";

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
    (...part) => identityLinks.list(...part),
    ({ id }) => id,
  );
  const names = new Map<string, string>();
  for (const userId of new Set(links.map((link) => link.userId)))
    names.set(userId, (await accounts.byUser(userId, [])).account?.loginName ?? "");
  return links.map((link) => ({ ...link, user: names.get(link.userId) ?? "" }));
}

import { type FactorSubject, type ObjectId, operatorEvent, type Repositories } from "@sallyport/core";
import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { findCustomUser } from "../custom-users/find-custom-user.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";

interface RemoveOptions extends AliasOptions {
  readonly appName?: string;
  readonly customUser?: true;
  readonly link?: true;
}

/** `second-factor remove`. */
export function removeSecondFactorCommand(): Command {
  return new Command("remove")
    .description(
      "take the second factors of a user away, so that he can set up others; his password alone opens what does not demand one",
    )
    .argument("<name>", "name to log in with")
    .option("--app-name <name>", "only the one for this app name")
    .option("--custom-user", "the name is that of a custom user")
    .option("--link", 'instead of a name, the id of a link whose user is shared, as the list shows it behind "link:"')
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(remove);
}

async function remove(name: string, options: RemoveOptions): Promise<void> {
  if (options.customUser && options.link) throw new CommandError("Say --custom-user or --link, not both.");
  await withDatabase(options, async ({ database: { storage } }) => {
    const { subject, userId } = await ownerOf(storage.repositories, name, options);
    const { appName = null } = options;
    const removed = await storage.transaction(async (r) => {
      const found = await r.secondFactors.remove(subject, appName);
      if (found)
        await r.audit.append(
          operatorEvent({ type: "secondFactor.removed", userId, appNames: appName === null ? [] : [appName] }),
        );
      return found;
    });
    if (!removed)
      throw new CommandError(`"${name}" has no second factor${appName === null ? "" : ` for "${appName}"`}.`);
    console.log(`"${name}" has no second factor${appName === null ? "" : ` for "${appName}"`} any more.`);
  });
}

async function ownerOf(
  r: Repositories,
  name: string,
  { customUser, link }: RemoveOptions,
): Promise<{ subject: FactorSubject; userId: ObjectId | null }> {
  if (link) return { subject: `link:${name}`, userId: null };
  if (customUser) {
    const { id, userId } = await findCustomUser(r, name);
    return { subject: `custom:${id}`, userId };
  }
  const { account } = await r.accounts.forProof(name.normalize("NFC"), []);
  if (account === null) throw new CommandError(`There is no user "${name}".`);
  return { subject: `user:${account.userId}`, userId: account.userId };
}

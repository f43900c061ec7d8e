import {
  type FactorSubject,
  type ObjectId,
  operatorEvent,
  type Repositories,
  requireCustomUser,
  type SecondFactor,
  SecondFactors,
} from "@sallyport/core";
import { Command } from "commander";
import { CommandError, commandGroup } from "./command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "./command-options.ts";
import { listCommand } from "./list-command.ts";
import { type OpenedDatabase, withDatabase } from "./with-database.ts";

/** `second-factor list|remove`. */
export function secondFactorCommand(): Command {
  return commandGroup("second-factor", "see who has a second factor, and take it away from who has lost it")
    .addCommand(listSecondFactorsCommand())
    .addCommand(removeSecondFactorCommand());
}

const partSize = 500;

interface ListedFactor extends SecondFactor {
  /** Who has it, in words. */
  readonly whose: string;
}

/** `second-factor list`. */
function listSecondFactorsCommand(): Command {
  return listCommand({
    plural: "second factors",
    read: readFactors,
    json: ({ subject, whose, appName, confirmed, recoveryCodes }) => ({
      subject,
      whose,
      appName,
      confirmed,
      recoveryCodesLeft: recoveryCodes.length,
    }),
    columns: {
      WHOSE: ({ whose }) => whose,
      "APP NAME": ({ appName }) => appName,
      STATE: ({ confirmed }) => (confirmed ? "confirmed" : "begun"),
      "RECOVERY CODES": ({ recoveryCodes }) => String(recoveryCodes.length),
    },
  });
}

async function readFactors({ database: { storage } }: OpenedDatabase): Promise<ListedFactor[]> {
  const { repositories: r } = storage;
  const all: ListedFactor[] = [];
  for (;;) {
    const part = await new SecondFactors(r.records).list(all.at(-1) ?? null, partSize);
    for (const factor of part) all.push({ ...factor, whose: await nameOf(r, factor.subject) });
    if (part.length < partSize) return all;
  }
}

async function nameOf(r: Repositories, subject: FactorSubject): Promise<string> {
  const [kind, id = ""] = subject.split(":");
  if (kind === "user") return (await r.accounts.byUser(id, [])).account?.loginName ?? subject;
  if (kind !== "custom") return subject;
  const account = await r.customAccounts.find(id);
  return account === null ? subject : `${account.loginName} (custom user)`;
}

interface RemoveOptions extends AliasOptions {
  readonly appName?: string;
  readonly customUser?: true;
  readonly link?: true;
}

/** `second-factor remove`. */
function removeSecondFactorCommand(): Command {
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
      const found = await new SecondFactors(r.records).remove(subject, appName);
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
    const { id, userId } = await requireCustomUser(r, name);
    return { subject: `custom:${id}`, userId };
  }
  const { account } = await r.accounts.forProof(name.normalize("NFC"), []);
  if (account === null) throw new CommandError(`There is no user "${name}".`);
  return { subject: `user:${account.userId}`, userId: account.userId };
}

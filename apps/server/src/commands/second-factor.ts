import { type ListedFactor, listSecondFactors, takeSecondFactors } from "@sallyport/core";
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

/** `second-factor list`. */
function listSecondFactorsCommand(): Command {
  return listCommand({
    plural: "second factors",
    read: readFactors,
    json: (factor) => ({
      subject: factor.subject,
      whose: whose(factor),
      appName: factor.appName,
      confirmed: factor.confirmed,
      recoveryCodesLeft: factor.recoveryCodes.length,
    }),
    columns: {
      WHOSE: whose,
      "APP NAME": ({ appName }) => appName,
      STATE: ({ confirmed }) => (confirmed ? "confirmed" : "begun"),
      "RECOVERY CODES": ({ recoveryCodes }) => String(recoveryCodes.length),
    },
  });
}

/** Who has it, in words. */
function whose({ subject, ownerName }: ListedFactor): string {
  if (ownerName === null) return subject;
  return subject.startsWith("custom:") ? `${ownerName} (custom user)` : ownerName;
}

async function readFactors({ administration }: OpenedDatabase): Promise<ListedFactor[]> {
  const all: ListedFactor[] = [];
  for (;;) {
    const part = await listSecondFactors(administration, { after: all.at(-1) ?? null, limit: partSize });
    all.push(...part);
    if (part.length < partSize) return all;
  }
}

const partSize = 500;

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
  const of = options.link ? "link" : options.customUser ? "customUser" : "user";
  const { appName = null } = options;
  await withDatabase(options, async ({ administration }) => {
    await takeSecondFactors(administration, { of, name, appName });
    console.log(`"${name}" has no second factor${appName === null ? "" : ` for "${appName}"`} any more.`);
  });
}

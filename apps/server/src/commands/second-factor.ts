import { allParts, type ListedFactor, listSecondFactors, takeSecondFactors } from "@sallyport/core";
import { listCommand } from "./list-command.ts";
import { CommandError } from "./command-error.ts";
import type { ServerCommand, Work } from "./server-command.ts";

/** `second-factor list|remove`. */
export function defineSecondFactor(group: ServerCommand): void {
  group.addCommand(
    listCommand({
      plural: "second factors",
      read: ({ administration }) =>
        allParts<ListedFactor, ListedFactor>(
          (part) => listSecondFactors(administration, part),
          (factor) => factor,
        ),
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
    }),
  );
  group
    .command("remove")
    .description(
      "take the second factors of a user away, so that he can set up others; his password alone opens what does not demand one",
    )
    .argument("<name>", "name to log in with")
    .option("--app-name <name>", "only the one for this app name")
    .option("--custom-user", "the name is that of a custom user")
    .option("--link", 'instead of a name, the id of a link whose user is shared, as the list shows it behind "link:"')
    .onDatabase(remove);
}

/** Who has it, in words. */
function whose({ subject, ownerName }: ListedFactor): string {
  if (ownerName === null) return subject;
  return subject.startsWith("custom:") ? `${ownerName} (custom user)` : ownerName;
}

interface RemoveOptions {
  readonly appName?: string;
  readonly customUser?: true;
  readonly link?: true;
}

function remove(name: string, options: RemoveOptions): Work {
  const { appName = null, customUser, link } = options;
  if (customUser && link) throw new CommandError("Say --custom-user or --link, not both.");
  const of = link ? "link" : customUser ? "customUser" : "user";
  return async ({ administration }) => {
    await takeSecondFactors(administration, { of, name, appName });
    console.log(`"${name}" has no second factor${appName === null ? "" : ` for "${appName}"`} any more.`);
  };
}

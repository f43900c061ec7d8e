import { allPages } from "@sallyport/storage";
import { type ListedFactor, listSecondFactors, takeSecondFactors } from "@sallyport/core";
import { listCommand } from "./list-command.ts";
import { CommandError } from "./command-error.ts";
import type { ServerCommand, Work } from "./server-command.ts";

/** `second-factor list|remove`. */
export function defineSecondFactor(group: ServerCommand): void {
  group.addCommand(
    listCommand({
      plural: "second factors",
      read: ({ administration }) =>
        allPages<ListedFactor, ListedFactor>(
          (part) => listSecondFactors(administration, part),
          (factor) => factor,
        ),
      json: (factor) => ({
        subject: factor.subject,
        user: whose(factor),
        appName: factor.appName,
        confirmed: factor.confirmed,
        recoveryCodesLeft: factor.recoveryCodes.length,
      }),
      columns: {
        USER: whose,
        "APP NAME": ({ appName }) => appName,
        STATE: ({ confirmed }) => (confirmed ? "confirmed" : "pending"),
        "RECOVERY CODES": ({ recoveryCodes }) => String(recoveryCodes.length),
      },
    }),
  );
  group
    .command("remove")
    .description("remove the second factors of a user, who can then enrol new ones")
    .argument("<name>", "log-in name")
    .option("--app-name <name>", "remove only the one of this app name")
    .option("--custom-user", "<name> is a custom user")
    .option("--link", '<name> is the id of a linked account with a shared user; the list shows it after "link:"')
    .onDatabase(remove);
}

/** Display name of the owner. */
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
  if (customUser && link) throw new CommandError("Use --custom-user or --link, not both.");
  const of = link ? "link" : customUser ? "customUser" : "user";
  return async ({ administration }) => {
    await takeSecondFactors(administration, { of, name, appName });
    console.log(`Removed the second factors of "${name}"${appName === null ? "" : ` for "${appName}"`}.`);
  };
}

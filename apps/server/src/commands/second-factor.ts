import { allPages } from "@sallyport/storage";
import { type ListedFactor, listSecondFactors, takeSecondFactors } from "@sallyport/core";
import { listCommand } from "../command-line/list-command.ts";
import { defineMoved } from "./moved-commands.ts";
import type { ServerCommand, Work } from "../command-line/server-command.ts";

/** `second-factor list|remove-link`: those of all owners, also of linked accounts. */
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
    .command("remove-link")
    .description("remove the second factors of a linked account with a shared user, which can then enrol new ones")
    .argument("<id>", 'id of the linked account; the list shows it after "link:"')
    .option("--app-name <name>", "remove only the one of this app name")
    .onDatabase(removeOfLink);
  defineMoved(group, ["remove"]);
}

/** Display name of the owner. */
function whose({ subject, ownerName }: ListedFactor): string {
  if (ownerName === null) return subject;
  return subject.startsWith("custom:") ? `${ownerName} (custom user)` : ownerName;
}

function removeOfLink(id: string, options: { readonly appName?: string }): Work {
  const appName = options.appName ?? null;
  return async ({ administration }) => {
    await takeSecondFactors(administration, { of: "link", name: id, appName });
    console.log(`Removed the second factors of "${id}"${appName === null ? "" : ` for "${appName}"`}.`);
  };
}

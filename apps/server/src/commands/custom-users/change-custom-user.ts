import { type AuditEventType, type CustomAccount, operatorEvent, type Repositories } from "@sallyport/core";
import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { type OpenedDatabase, withDatabase } from "../databases/with-database.ts";
import { findCustomUser } from "./find-custom-user.ts";

/** What a command does to a custom user. */
export interface Change {
  /** How the audit calls it. */
  readonly type: Extract<AuditEventType, `customUser.${string}` | `customPassword.${string}`>;
  /** Whether his sessions end with it. */
  readonly endsSessions: boolean;
  /** `false` if somebody else was faster. */
  readonly make: (r: Repositories, account: CustomAccount) => Promise<boolean>;
  /** What became of it, for whoever typed the command. */
  readonly told: string;
}

/** A subcommand that is given the name of a custom user. */
export function customUserCommand(verb: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument("<name>", "name of the custom user")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption());
}

/** Changes a custom user, ends his sessions and tells the audit, all in one transaction. */
export async function changeCustomUser(
  name: string,
  options: AliasOptions,
  prepare: (opened: OpenedDatabase, account: CustomAccount) => Promise<Change>,
): Promise<void> {
  await withDatabase(options, async (opened) => {
    const { storage } = opened.database;
    const account = await findCustomUser(storage.repositories, name);
    const change = await prepare(opened, account);
    const ended = await storage.transaction(async (r) => {
      if (!(await change.make(r, account)))
        throw new CommandError(`The custom user "${name}" was changed by somebody else at the same time. Try again.`);
      await r.audit.append(operatorEvent({ type: change.type, userId: account.userId }));
      return change.endsSessions ? r.sessions.end({ customAccountId: account.id }) : 0;
    });
    console.log(
      `${change.told}${ended === 0 ? "" : ended === 1 ? " One session has ended." : ` ${ended} sessions have ended.`}`,
    );
  });
}

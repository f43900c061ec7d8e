import {
  type AuditEventType,
  loginNameOf,
  type ObjectId,
  operatorEvent,
  passwordResets,
  passwordSubject,
  type Repositories,
} from "@sallyport/core";
import { Command } from "commander";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { acceptEmail } from "./user-arguments.ts";
import { withDatabase } from "../with-database.ts";

interface Change {
  readonly type: Extract<AuditEventType, `account.${string}`>;
  /** `false` if there is no such account any more. */
  readonly make: (r: Repositories, userId: ObjectId) => Promise<boolean>;
  readonly endsSessions?: true;
  /** What became of the user, for whoever typed the command. */
  readonly told: string;
}

interface EmailOptions extends AliasOptions {
  readonly none?: true;
}

/** `user disable`. */
export function disableUserCommand(): Command {
  const change: Change = {
    type: "account.disabled",
    make: (r, userId) => r.accounts.change(userId, { disabled: true }),
    endsSessions: true,
    told: "is disabled",
  };
  return userCommand(
    "disable",
    "keep a user out, whichever way he comes, until he is enabled again; ends his sessions",
  ).action((name: string, options: AliasOptions) => changeUser(name, options, change));
}

/** `user enable`. */
export function enableUserCommand(): Command {
  const change: Change = {
    type: "account.enabled",
    make: (r, userId) => r.accounts.change(userId, { disabled: false }),
    told: "is enabled",
  };
  return userCommand("enable", "let a user in again who was disabled").action((name: string, options: AliasOptions) =>
    changeUser(name, options, change),
  );
}

/** `user set-email`. */
export function setEmailCommand(): Command {
  return userCommand("set-email", "say where a user's mail goes, such as a link for a new password")
    .argument("[address]", "e-mail address")
    .option("--none", "nowhere")
    .action(setEmail);
}

async function setEmail(name: string, address: string | undefined, options: EmailOptions): Promise<void> {
  if ((address === undefined) === (options.none === undefined))
    throw new CommandError("Either an address is expected, or --none.");
  const email = address === undefined ? null : acceptEmail(address);
  const told = email === null ? "gets no mail" : `gets mail at ${email}`;
  const make = async (r: Repositories, userId: ObjectId) => {
    // Whoever reads the former mailbox may be the reason.
    await r.records.remove(passwordResets, { owner: passwordSubject(userId) });
    return r.accounts.change(userId, { email });
  };
  await changeUser(name, options, { type: "account.changed", make, told });
}

function userCommand(verb: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument("<name>", "name that the user logs in with")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption());
}

/** Changes an account and tells the audit, in one transaction. */
async function changeUser(
  name: string,
  options: AliasOptions,
  { type, make, endsSessions, told }: Change,
): Promise<void> {
  await withDatabase(options, async ({ database: { storage } }) => {
    const ended = await storage.transaction(async (r) => {
      const { account } = await r.accounts.find({ realm: "database", loginName: loginNameOf(name) }, []);
      if (account === null || !(await make(r, account.userId))) throw new CommandError(`There is no user "${name}".`);
      await r.audit.append(operatorEvent({ type, userId: account.userId }));
      return endsSessions === undefined ? 0 : r.sessions.end({ userId: account.userId });
    });
    const sessions = ended === 0 ? "" : ended === 1 ? " One session has ended." : ` ${ended} sessions have ended.`;
    console.log(`The user "${name}" ${told}.${sessions}`);
  });
}

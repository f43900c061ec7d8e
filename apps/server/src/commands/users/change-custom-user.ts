import {
  type AuditEventType,
  clientPassword,
  type Account,
  customSubject,
  mapCustomAccount,
  operatorEvent,
  passwordResets,
  type Repositories,
} from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { type OpenedDatabase, withDatabase } from "../with-database.ts";
import { acceptEmail, acceptPassword, findCustomUser, findDatabaseUser, readPassword } from "./user-arguments.ts";

/** `custom-users set-password`. */
export function setPasswordCommand(): Command {
  return customUserCommand("set-password", "set another password, read from standard input, or typed; all sessions end")
    .option("--password-file <file>", "read the password from this file")
    .action(setPassword);
}

/** `custom-users set-email`. */
export function setEmailCommand(): Command {
  return customUserCommand("set-email", "set the address to which codes are mailed")
    .argument("[address]", "e-mail address")
    .option("--none", "take the address away")
    .action(setEmail);
}

/** `custom-users map`. */
export function mapCommand(): Command {
  return customUserCommand("map", "have him work as another user of the database; all sessions end")
    .argument("<user>", "name of the database user")
    .action(map);
}

/** `custom-users disable`. */
export function disableCommand(): Command {
  return customUserCommand("disable", "keep a custom user out; all sessions end").action(
    (name: string, options: AliasOptions) => setDisabled(name, true, options),
  );
}

/** `custom-users enable`. */
export function enableCommand(): Command {
  return customUserCommand("enable", "let a custom user in again").action((name: string, options: AliasOptions) =>
    setDisabled(name, false, options),
  );
}

/** `custom-users remove`. */
export function removeCommand(): Command {
  return customUserCommand("remove", "remove a custom user; all sessions end").action(remove);
}

function setPassword(name: string, options: AliasOptions & { readonly passwordFile?: string }): Promise<void> {
  return changeCustomUser(name, options, async ({ container, database: { policy } }) => {
    const pass = await readPassword(options.passwordFile);
    const { clientHash } = policy;
    acceptPassword(
      await container.getAsync(identifiers.passwordPolicy),
      { pass, clientHash },
      container.get(identifiers.configuration).passwords.customLength,
    );
    const hasher = await container.getAsync(identifiers.hasher);
    const secret = await hasher.hash(clientPassword(pass, clientHash, container.get(identifiers.digests)));
    const settle = await container.getAsync(identifiers.settleCustomPassword);
    return {
      type: "customPassword.changed",
      endsSessions: true,
      make: async (r, account) => {
        if ((await r.accounts.setSecret(account.id, secret, account.secretVersion)) === "stale") return false;
        await settle.keep(r, account);
        return true;
      },
      told: `The custom user "${name}" has another password.`,
    };
  });
}

function setEmail(
  name: string,
  address: string | undefined,
  options: AliasOptions & { readonly none?: true },
): Promise<void> {
  if ((address === undefined) === (options.none === undefined)) throw new CommandError("Give an address, or --none.");
  const email = address === undefined ? null : acceptEmail(address);
  return changeCustomUser(name, options, async () => ({
    type: "customUser.stored",
    endsSessions: false,
    make: async (r, { id }) => {
      // Whoever reads the former mailbox may be the reason.
      await r.records.remove(passwordResets, { owner: customSubject(id) });
      return r.accounts.change(id, { email });
    },
    told: `The custom user "${name}" has ${email === null ? "no e-mail address" : `the e-mail address ${email}`}.`,
  }));
}

function map(name: string, user: string, options: AliasOptions): Promise<void> {
  return changeCustomUser(name, options, async ({ database: { storage } }) => {
    const userId = await findDatabaseUser(storage.repositories, user);
    return {
      type: "customUser.stored",
      endsSessions: true,
      make: (r, { id }) => mapCustomAccount(r, id, userId),
      told: `The custom user "${name}" works as "${user}" from now on.`,
    };
  });
}

function setDisabled(name: string, disabled: boolean, options: AliasOptions): Promise<void> {
  return changeCustomUser(name, options, async () => ({
    type: disabled ? "customUser.disabled" : "customUser.enabled",
    endsSessions: disabled,
    make: (r, { id }) => r.accounts.change(id, { disabled }),
    told: `The custom user "${name}" is ${disabled ? "disabled" : "enabled"}.`,
  }));
}

function remove(name: string, options: AliasOptions): Promise<void> {
  return changeCustomUser(name, options, async () => ({
    type: "customUser.removed",
    endsSessions: true,
    make: async (r, { id }) => (await r.accounts.remove([id])) === 1,
    told: `The custom user "${name}" is removed.`,
  }));
}

/** What a command does to a custom user. */
interface Change {
  /** How the audit calls it. */
  readonly type: Extract<AuditEventType, `customUser.${string}` | `customPassword.${string}`>;
  /** Whether his sessions end with it. */
  readonly endsSessions: boolean;
  /** `false` if somebody else was faster. */
  readonly make: (r: Repositories, account: Account) => Promise<boolean>;
  /** What became of it, for whoever typed the command. */
  readonly told: string;
}

/** A subcommand that is given the name of a custom user. */
function customUserCommand(verb: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument("<name>", "name of the custom user")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption());
}

/** Changes a custom user, ends his sessions and tells the audit, all in one transaction. */
async function changeCustomUser(
  name: string,
  options: AliasOptions,
  prepare: (opened: OpenedDatabase, account: Account) => Promise<Change>,
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

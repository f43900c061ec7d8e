import {
  acceptMailAddress,
  mapCustomUser,
  removeCustomUser,
  requireCustomUser,
  setCustomUserDisabled,
  setCustomUserEmail,
} from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { advising, CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { withDatabase } from "../with-database.ts";
import { endedSessions, readPassword, userListAdvice } from "./user-arguments.ts";

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

async function setPassword(name: string, options: AliasOptions & { readonly passwordFile?: string }): Promise<void> {
  await withDatabase(options, async ({ container, administration }) => {
    // Before anybody types a password.
    await requireCustomUser(administration.r, name);
    const password = await readPassword(options.passwordFile);
    const change = await container.getAsync(identifiers.setCustomPassword);
    const ended = await change.setCustomPassword(administration, { name, password });
    console.log(`The custom user "${name}" has another password.${endedSessions(ended)}`);
  });
}

async function setEmail(
  name: string,
  address: string | undefined,
  options: AliasOptions & { readonly none?: true },
): Promise<void> {
  if ((address === undefined) === (options.none === undefined)) throw new CommandError("Give an address, or --none.");
  const email = address === undefined ? null : acceptMailAddress(address);
  await withDatabase(options, async ({ administration }) => {
    await setCustomUserEmail(administration, { name, email });
    console.log(
      `The custom user "${name}" has ${email === null ? "no e-mail address" : `the e-mail address ${email}`}.`,
    );
  });
}

async function map(name: string, user: string, options: AliasOptions): Promise<void> {
  await withDatabase(options, async ({ administration }) => {
    await requireCustomUser(administration.r, name);
    const ended = await advising(304, userListAdvice, () => mapCustomUser(administration, { name, user }));
    console.log(`The custom user "${name}" works as "${user}" from now on.${endedSessions(ended)}`);
  });
}

async function setDisabled(name: string, disabled: boolean, options: AliasOptions): Promise<void> {
  await withDatabase(options, async ({ administration }) => {
    const ended = await setCustomUserDisabled(administration, { name, disabled });
    console.log(`The custom user "${name}" is ${disabled ? "disabled" : "enabled"}.${endedSessions(ended)}`);
  });
}

async function remove(name: string, options: AliasOptions): Promise<void> {
  await withDatabase(options, async ({ administration }) => {
    const ended = await removeCustomUser(administration, name);
    console.log(`The custom user "${name}" is removed.${endedSessions(ended)}`);
  });
}

/** A subcommand that is given the name of a custom user. */
function customUserCommand(verb: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument("<name>", "name of the custom user")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption());
}

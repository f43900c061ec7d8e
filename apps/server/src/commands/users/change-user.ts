import { acceptMailAddress, requireAccount, setUserDisabled, setUserEmail } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { withDatabase } from "../with-database.ts";
import { endedSessions, readPassword } from "./user-arguments.ts";

/** `user disable`. */
export function disableUserCommand(): Command {
  return userCommand(
    "disable",
    "keep a user out, whichever way he comes, until he is enabled again; ends his sessions",
  ).action((name: string, options: AliasOptions) => setDisabled(name, true, options));
}

/** `user enable`. */
export function enableUserCommand(): Command {
  return userCommand("enable", "let a user in again who was disabled").action((name: string, options: AliasOptions) =>
    setDisabled(name, false, options),
  );
}

async function setDisabled(name: string, disabled: boolean, options: AliasOptions): Promise<void> {
  await withDatabase(options, async ({ administration }) => {
    const ended = await setUserDisabled(administration, { name, disabled });
    console.log(`The user "${name}" is ${disabled ? "disabled" : "enabled"}.${endedSessions(ended)}`);
  });
}

/** `user set-email`. */
export function setEmailCommand(): Command {
  return userCommand("set-email", "say where a user's mail goes, such as a link for a new password")
    .argument("[address]", "e-mail address")
    .option("--none", "nowhere")
    .action(setEmail);
}

async function setEmail(
  name: string,
  address: string | undefined,
  options: AliasOptions & { readonly none?: true },
): Promise<void> {
  if ((address === undefined) === (options.none === undefined))
    throw new CommandError("Either an address is expected, or --none.");
  const email = address === undefined ? null : acceptMailAddress(address);
  await withDatabase(options, async ({ administration }) => {
    await setUserEmail(administration, { name, email });
    console.log(`The user "${name}" gets ${email === null ? "no mail" : `mail at ${email}`}.`);
  });
}

/** `user set-password`. */
export function setPasswordCommand(): Command {
  return userCommand(
    "set-password",
    "give a user another password, which ends his sessions; it is read from standard input, or typed",
  )
    .option("--password-file <file>", "read the password from this file")
    .action(setPassword);
}

async function setPassword(name: string, options: AliasOptions & { readonly passwordFile?: string }): Promise<void> {
  await withDatabase(options, async ({ container, administration }) => {
    // Before anybody types a password.
    await requireAccount(administration.r, name);
    const password = await readPassword(options.passwordFile);
    const change = await container.getAsync(identifiers.setUserPassword);
    await change.setUserPassword(administration, { name, password });
    console.log(`The user "${name}" has another password now. His sessions are over.`);
  });
}

function userCommand(verb: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument("<name>", "name that the user logs in with")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption());
}

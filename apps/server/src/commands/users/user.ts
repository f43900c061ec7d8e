import {
  acceptMailAddress,
  allParts,
  isUserName,
  listUsers,
  requireAccount,
  setUserDisabled,
  setUserEmail,
} from "@sallyport/core";
import { identifiers } from "../../composition/identifiers.ts";
import { listCommand } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand, Work } from "../server-command.ts";
import { emailOf, type EmailOptions, endedSessions, type PasswordOptions, readPassword } from "./user-arguments.ts";

/** `user create|list|disable|enable|set-email|set-password`. */
export function defineUser(group: ServerCommand): void {
  group
    .command("create")
    .description("create a user; the password is read from standard input, or typed")
    .argument("<name>", "name to log in with")
    .option("--administrator", "may do everything")
    .option("--description <text>", "who that is")
    .option("--email <address>", "where mail goes, such as a link for a new password")
    .option("--group <name...>", "user groups to belong to")
    .option("--create-groups", "create the groups that do not exist")
    .option("--password-file <file>", "read the password from this file")
    .onDatabase(create);
  group.addCommand(
    listCommand({
      plural: "users",
      read: ({ administration }) =>
        allParts(
          (part) => listUsers(administration, part),
          ({ loginName }) => loginName,
        ),
      json: ({ loginName, userId, disabled, administrator, email, groups }) => {
        return { name: loginName, objectId: userId, enabled: !disabled, administrator, email, groups };
      },
      columns: {
        NAME: ({ loginName }) => loginName,
        STATE: ({ disabled }) => (disabled ? "disabled" : "enabled"),
        ADMINISTRATOR: ({ administrator }) => (administrator ? "yes" : "no"),
        GROUPS: ({ groups }) => groups.join(", ") || "none",
      },
    }),
  );
  const change = (verb: string, description: string) =>
    group.command(verb).description(description).argument("<name>", "name that the user logs in with");
  change("disable", "keep a user out, whichever way he comes, until he is enabled again; ends his sessions").onDatabase(
    (name: string) => setDisabled(name, true),
  );
  change("enable", "let a user in again who was disabled").onDatabase((name: string) => setDisabled(name, false));
  change("set-email", "say where a user's mail goes, such as a link for a new password")
    .argument("[address]", "e-mail address")
    .withAlias()
    .option("--none", "nowhere")
    .onDatabase(setEmail);
  change(
    "set-password",
    "give a user another password, which ends his sessions; it is read from standard input, or typed",
  )
    .withAlias()
    .option("--password-file <file>", "read the password from this file")
    .onDatabase(setPassword);
}

interface CreateOptions extends PasswordOptions {
  readonly administrator?: true;
  readonly description?: string;
  readonly email?: string;
  readonly group?: readonly string[];
  readonly createGroups?: true;
}

function create(name: string, options: CreateOptions): Work {
  if (!isUserName(name)) throw new CommandError("The user needs a name of at most 1024 characters.");
  const email = options.email === undefined ? null : acceptMailAddress(options.email);
  const { administrator = false, description, group: groups = [], createGroups: createsGroups = false } = options;
  return async ({ container, database, administration }) => {
    await database.storage.health();
    const password = await readPassword(options);
    const createUser = await container.getAsync(identifiers.createUser);
    const input = { name, password, description, administrator, email, groups, createsGroups };
    await advising(304, "--create-groups creates it.", () => createUser.createUser(administration, input));
    console.log(`The user "${name}" exists now.`);
  };
}

function setDisabled(name: string, disabled: boolean): Work {
  return async ({ administration }) => {
    const ended = await setUserDisabled(administration, { name, disabled });
    console.log(`The user "${name}" is ${disabled ? "disabled" : "enabled"}.${endedSessions(ended)}`);
  };
}

function setEmail(name: string, address: string | undefined, options: EmailOptions): Work {
  const email = emailOf(address, options, "Either an address is expected, or --none.");
  return async ({ administration }) => {
    await setUserEmail(administration, { name, email });
    console.log(`The user "${name}" gets ${email === null ? "no mail" : `mail at ${email}`}.`);
  };
}

function setPassword(name: string, options: PasswordOptions): Work {
  return async ({ container, administration }) => {
    // Before anybody types a password.
    await requireAccount(administration.r, name);
    const password = await readPassword(options);
    const change = await container.getAsync(identifiers.setUserPassword);
    await change.setUserPassword(administration, { name, password });
    console.log(`The user "${name}" has another password now. His sessions are over.`);
  };
}

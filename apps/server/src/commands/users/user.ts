import { allPages } from "@sallyport/storage";
import {
  acceptMailAddress,
  isUserName,
  listUsers,
  requireAccount,
  setUserDisabled,
  setUserEmail,
  createUser,
  setUserPassword,
} from "@sallyport/core";
import { listCommand } from "../list-command.ts";
import { advising } from "../report-failure.ts";
import { CommandError } from "../command-error.ts";
import type { ServerCommand, Work } from "../server-command.ts";
import { emailOf, type EmailOptions, endedSessions, type PasswordOptions, readPassword } from "./user-arguments.ts";

/** `user create|list|disable|enable|set-email|set-password`. */
export function defineUser(group: ServerCommand): void {
  group
    .command("create")
    .description("create a user; prompts for the password or reads it from standard input")
    .argument("<name>", "log-in name")
    .option("--administrator", "make the user an administrator, with all rights")
    .option("--description <text>", "description of the user")
    .option("--email <address>", "e-mail address for password resets")
    .option("--group <name...>", "groups to add the user to")
    .option("--create-groups", "create the groups of --group that do not exist")
    .withPassword()
    .onDatabase(create);
  group.addCommand(
    listCommand({
      plural: "users",
      read: ({ administration }) =>
        allPages(
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
    group.command(verb).description(description).argument("<name>", "log-in name");
  change("disable", "disable a user and end their sessions").onDatabase((name: string) => setDisabled(name, true));
  change("enable", "enable a user").onDatabase((name: string) => setDisabled(name, false));
  change("set-email", "set the e-mail address of a user")
    .argument("[address]", "new e-mail address")
    .withAlias()
    .option("--none", "remove the e-mail address")
    .onDatabase(setEmail);
  change(
    "set-password",
    "set the password of a user and end their sessions; prompts for the password or reads it from standard input",
  )
    .withAlias()
    .withPassword()
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
  if (!isUserName(name)) throw new CommandError("The name must have 1 to 1024 characters.");
  const email = options.email === undefined ? null : acceptMailAddress(options.email);
  const { administrator = false, description, group: groups = [], createGroups: createsGroups = false } = options;
  return async ({ database, serving }) => {
    await database.storage.health();
    const password = await readPassword(options);
    const input = { name, ...password, description, administrator, email, groups, createsGroups };
    await advising(304, "Create it with --create-groups.", async () =>
      createUser(await serving("hasher", "passwordPolicy", "random", "settings"), input),
    );
    console.log(`Created user "${name}".`);
  };
}

function setDisabled(name: string, disabled: boolean): Work {
  return async ({ administration }) => {
    const ended = await setUserDisabled(administration, { name, disabled });
    console.log(`${disabled ? "Disabled" : "Enabled"} user "${name}".${endedSessions(ended)}`);
  };
}

function setEmail(name: string, address: string | undefined, options: EmailOptions): Work {
  const email = emailOf(address, options, "Pass an address or --none.");
  return async ({ administration }) => {
    await setUserEmail(administration, { name, email });
    console.log(`${email === null ? "Removed" : "Set"} the e-mail address of "${name}".`);
  };
}

function setPassword(name: string, options: PasswordOptions): Work {
  return async ({ administration, serving }) => {
    // Fail before the password prompt.
    await requireAccount(administration.r, name);
    const password = await readPassword(options);
    await setUserPassword(await serving("hasher", "passwordPolicy", "random", "settings"), { name, ...password });
    console.log(`Set the password of "${name}" and ended all sessions.`);
  };
}

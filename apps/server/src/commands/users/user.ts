import { acceptMailAddress, allParts, isUserName, listUsers } from "@sallyport/core";
import type { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { advising, CommandError, commandGroup } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { listCommand } from "../list-command.ts";
import { withDatabase } from "../with-database.ts";
import { disableUserCommand, enableUserCommand, setEmailCommand, setPasswordCommand } from "./change-user.ts";
import { readPassword } from "./user-arguments.ts";

interface CreateOptions extends AliasOptions {
  readonly administrator?: true;
  readonly description?: string;
  readonly email?: string;
  readonly group?: readonly string[];
  readonly createGroups?: true;
  readonly passwordFile?: string;
}

/** `user create|list|disable|enable|set-email|set-password`. */
export function userCommand(): Command {
  const command = commandGroup("user", "manage the users of a database");
  command
    .command("create")
    .description("create a user; the password is read from standard input, or typed")
    .argument("<name>", "name to log in with")
    .option("--administrator", "may do everything")
    .option("--description <text>", "who that is")
    .option("--email <address>", "where mail goes, such as a link for a new password")
    .option("--group <name...>", "user groups to belong to")
    .option("--create-groups", "create the groups that do not exist")
    .option("--password-file <file>", "read the password from this file")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(create);
  return command
    .addCommand(listUsersCommand())
    .addCommand(disableUserCommand())
    .addCommand(enableUserCommand())
    .addCommand(setEmailCommand())
    .addCommand(setPasswordCommand());
}

async function create(name: string, options: CreateOptions): Promise<void> {
  if (!isUserName(name)) throw new CommandError("The user needs a name of at most 1024 characters.");
  const email = options.email === undefined ? null : acceptMailAddress(options.email);
  const { administrator = false, description, group: groups = [], createGroups: createsGroups = false } = options;
  await withDatabase(options, async ({ container, database, administration }) => {
    await database.storage.health();
    const password = await readPassword(options.passwordFile);
    const createUser = await container.getAsync(identifiers.createUser);
    const input = { name, password, description, administrator, email, groups, createsGroups };
    await advising(304, "--create-groups creates it.", () => createUser.createUser(administration, input));
    console.log(`The user "${name}" exists now.`);
  });
}

/** `user list`. */
function listUsersCommand(): Command {
  return listCommand({
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
  });
}

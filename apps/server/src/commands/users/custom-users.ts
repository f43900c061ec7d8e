import {
  acceptMailAddress,
  allParts,
  findCustomUser,
  isUserName,
  type ListedCustomUser,
  listCustomUsers,
  requireMappedUser,
} from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { advising, CommandError, commandGroup } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { listCommand } from "../list-command.ts";
import { tableLines } from "../table-lines.ts";
import { withDatabase } from "../with-database.ts";
import {
  disableCommand,
  enableCommand,
  mapCommand,
  removeCommand,
  setEmailCommand,
  setPasswordCommand,
} from "./change-custom-user.ts";
import { readPassword, userListAdvice } from "./user-arguments.ts";

/** `custom-users add|list|show|set-password|set-email|map|disable|enable|remove`. */
export function customUsersCommand(): Command {
  return commandGroup("custom-users", "manage those who log in without being users of the database")
    .addCommand(addCustomUserCommand())
    .addCommand(listCustomUsersCommand())
    .addCommand(showCustomUserCommand())
    .addCommand(setPasswordCommand())
    .addCommand(setEmailCommand())
    .addCommand(mapCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(removeCommand());
}

interface AddOptions extends AliasOptions {
  readonly user: string;
  readonly email?: string;
  readonly passwordFile?: string;
}

/** `custom-users add`. */
function addCustomUserCommand(): Command {
  return new Command("add")
    .description("add a custom user; the password is read from standard input, or typed")
    .argument("<name>", "name to log in with at /v1/auth/df")
    .requiredOption("--user <name>", "the database user as whom he works")
    .option("--email <address>", "where the codes go that confirm a new password")
    .option("--password-file <file>", "read the password from this file")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(add);
}

async function add(name: string, options: AddOptions): Promise<void> {
  if (!isUserName(name)) throw new CommandError("The custom user needs a name of at most 1024 characters.");
  const { user } = options;
  const email = options.email === undefined ? null : acceptMailAddress(options.email);
  await withDatabase(options, async ({ container, administration }) => {
    // Before anybody types a password.
    await advising(304, userListAdvice, () => requireMappedUser(administration.r, user));
    const password = await readPassword(options.passwordFile);
    const addCustomUser = await container.getAsync(identifiers.addCustomUser);
    await addCustomUser.addCustomUser(administration, { name, password, user, email });
    console.log(`The custom user "${name}" exists now, and works as "${user}".`);
  });
}

/** `custom-users list`. */
function listCustomUsersCommand(): Command {
  return listCommand({
    plural: "custom users",
    read: ({ administration }) =>
      allParts(
        (part) => listCustomUsers(administration, part),
        ({ loginName }) => loginName,
      ),
    json: customUserJson,
    columns: {
      NAME: ({ loginName }) => loginName,
      STATE: ({ disabled }) => (disabled ? "disabled" : "enabled"),
      "WORKS AS": ({ worksAs, userId }) => worksAs || userId,
      EMAIL: ({ email }) => email ?? "none",
    },
  });
}

/** What a script gets of a custom user. */
function customUserJson({ id, loginName, userId, worksAs, email, disabled }: ListedCustomUser): object {
  return { name: loginName, id, enabled: !disabled, user: worksAs, objectId: userId, email };
}

interface ShowOptions extends AliasOptions {
  readonly json?: true;
}

/** `custom-users show`. It shows nothing that opens anything. */
function showCustomUserCommand(): Command {
  return new Command("show")
    .description("show a custom user")
    .argument("<name>", "name of the custom user")
    .option("--json", "print JSON, for scripts")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(show);
}

async function show(name: string, options: ShowOptions): Promise<void> {
  const shown = await withDatabase(options, ({ administration }) => findCustomUser(administration, name));
  if (options.json) {
    console.log(JSON.stringify(customUserJson(shown), null, 2));
    return;
  }
  const { id, loginName, userId, worksAs, email, disabled } = shown;
  const rows = [
    ["id", id],
    ["state", disabled ? "disabled" : "enabled"],
    ["works as", `${worksAs || "nobody, the user is gone"} (${userId})`],
    ["e-mail", email ?? "none"],
  ];
  console.log(tableLines(["name", loginName], rows).join("\n"));
}

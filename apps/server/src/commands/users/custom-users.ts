import { type ListedAccount, operatorEvent, type Repositories, seesAll } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError, commandGroup } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { allParts, listCommand } from "../list-command.ts";
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
import { acceptEmail, acceptPassword, findCustomUser, findDatabaseUser, readPassword } from "./user-arguments.ts";

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
  if (name.trim() === "" || name.length > 1024)
    throw new CommandError("The custom user needs a name of at most 1024 characters.");
  const email = options.email === undefined ? null : acceptEmail(options.email);
  await withDatabase(options, async ({ container, database: { storage, policy } }) => {
    const userId = await findDatabaseUser(storage.repositories, options.user);
    const password = await readPassword(options.passwordFile);
    const { clientHash } = policy;
    acceptPassword(
      await container.getAsync(identifiers.passwordPolicy),
      { pass: password, clientHash },
      container.get(identifiers.configuration).passwords.customLength,
    );
    const createCustomAccount = await container.getAsync(identifiers.createCustomAccount);
    // Hashing inside of a transaction keeps the connection busy; here nobody else waits for it.
    await storage.transaction(async (r) => {
      await createCustomAccount.run(r.accounts, { loginName: name, password, userId, email, clientHash });
      await r.audit.append(operatorEvent({ type: "customUser.stored", userId }));
    });
    console.log(`The custom user "${name}" exists now, and works as "${options.user}".`);
  });
}

interface ListedCustomUser extends ListedAccount {
  /** Name of the database user as whom he works; empty where that is gone. */
  readonly worksAs: string;
}

const batchSize = 500;

/** `custom-users list`. */
function listCustomUsersCommand(): Command {
  return listCommand({
    plural: "custom users",
    read: async ({ database: { storage } }) => {
      const { accounts } = storage.repositories;
      return withUsers(
        storage.repositories,
        await allParts(
          (...part) => accounts.list("custom", ...part),
          ({ loginName }) => loginName,
        ),
      );
    },
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

/** With the names of the users as whom they work. */
async function withUsers({ objects }: Repositories, listed: readonly ListedAccount[]): Promise<ListedCustomUser[]> {
  const ids = [...new Set(listed.map(({ userId }) => userId))];
  const names = new Map<string, string>();
  for (let start = 0; start < ids.length; start += batchSize) {
    for (const { id, attributes } of await objects.get(ids.slice(start, start + batchSize), seesAll))
      names.set(id, String(attributes["Name"] ?? ""));
  }
  return listed.map((account) => ({ ...account, worksAs: names.get(account.userId) ?? "" }));
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
  const shown = await withDatabase(options, async ({ database: { storage } }) => {
    const [found] = await withUsers(storage.repositories, [await findCustomUser(storage.repositories, name)]);
    return found;
  });
  if (shown === undefined) throw new CommandError(`There is no custom user "${name}".`);
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

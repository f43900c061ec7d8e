import {
  type ListedAccount,
  loginNameOf,
  type ObjectId,
  type ObjectRepository,
  operatorEvent,
  seesAll,
  type StoredObject,
  UserNames,
} from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError, commandGroup } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { acceptEmail, acceptPassword, readPassword } from "./user-arguments.ts";
import { allParts, listCommand } from "../list-command.ts";
import { type OpenedDatabase, withDatabase } from "../with-database.ts";
import { disableUserCommand, enableUserCommand, setEmailCommand } from "./change-user.ts";

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
  if (name.trim() === "" || name.length > 1024)
    throw new CommandError("The user needs a name of at most 1024 characters.");
  const email = options.email === undefined ? null : acceptEmail(options.email);
  const { administrator = false, description, group = [], createGroups = false, passwordFile } = options;
  await withDatabase(options, async ({ container, database: { storage, policy, digests } }) => {
    await storage.health();
    const password = await readPassword(passwordFile);
    acceptPassword(await container.getAsync(identifiers.passwordPolicy), {
      pass: password,
      clientHash: policy.clientHash,
    });
    const createAccount = await container.getAsync(identifiers.createAccount);
    await storage.transaction(async (r) => {
      const groups = await findGroups(r.objects, group, createGroups);
      const attributes = {
        Name: name.normalize("NFC"),
        ...(description === undefined ? {} : { Description: description }),
        Groups: groups,
      };
      const [user] = await r.objects.insert([{ className: "User", attributes, links: { Groups: groups } }]);
      if (user === undefined) throw new CommandError("The user could not be created.");
      // Hashing inside of a transaction keeps the connection busy; here nobody else waits for it.
      const { clientHash } = policy;
      await createAccount.run(r.accounts, {
        userId: user.id,
        loginName: name,
        password,
        administrator,
        clientHash,
        email,
      });
      await new UserNames(r.records, digests).reserve({ id: user.id, name });
      await r.audit.append(operatorEvent({ type: "account.created", userId: user.id }));
    });
    console.log(`The user "${name}" exists now.`);
  });
}

interface ListedUser extends ListedAccount {
  /** Names of the user groups. */
  readonly groups: readonly string[];
}

const batchSize = 500;

/** `user list`. */
function listUsersCommand(): Command {
  return listCommand({
    plural: "users",
    read: readUsers,
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

async function readUsers({ database: { storage } }: OpenedDatabase): Promise<ListedUser[]> {
  const { accounts, objects } = storage.repositories;
  const listed = await allParts(
    (...part) => accounts.list("database", ...part),
    ({ loginName }) => loginName,
  );
  const groupNames = new Map((await allGroups(objects)).map(({ id, attributes }) => [id, String(attributes["Name"])]));
  const users = new Map<string, StoredObject>();
  for (let start = 0; start < listed.length; start += batchSize) {
    const ids = listed.slice(start, start + batchSize).map(({ userId }) => userId);
    for (const user of await objects.get(ids, seesAll)) users.set(user.id, user);
  }
  return listed.map((account) => {
    const groups = users.get(account.userId)?.attributes["Groups"];
    const ids = Array.isArray(groups) ? groups : [];
    return { ...account, groups: ids.flatMap((id) => groupNames.get(String(id)) ?? []) };
  });
}

interface SetOptions extends AliasOptions {
  readonly passwordFile?: string;
}

/** `user set-password`. */
function setPasswordCommand(): Command {
  return new Command("set-password")
    .description("give a user another password, which ends his sessions; it is read from standard input, or typed")
    .argument("<name>", "name to log in with")
    .option("--password-file <file>", "read the password from this file")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(setPassword);
}

async function setPassword(name: string, options: SetOptions): Promise<void> {
  await withDatabase(options, async ({ container, database: { storage, policy } }) => {
    const { account } = await storage.repositories.accounts.find(
      { realm: "database", loginName: loginNameOf(name) },
      [],
    );
    if (account === null) throw new CommandError(`There is no user "${name}".`);
    const pass = await readPassword(options.passwordFile);
    const password = acceptPassword(await container.getAsync(identifiers.passwordPolicy), {
      pass,
      clientHash: policy.clientHash,
    });
    const hasher = await container.getAsync(identifiers.hasher);
    const replace = await container.getAsync(identifiers.replacePassword);
    const secret = await hasher.hash(password);
    const isReplaced = await storage.transaction(async (r) => {
      if (!(await replace.run(r, account, { secret }))) return false;
      await r.audit.append(operatorEvent({ type: "password.changed", userId: account.userId }));
      return true;
    });
    if (!isReplaced)
      throw new CommandError(`The password of the user "${name}" was changed at the same moment. Nothing was done.`);
    console.log(`The user "${name}" has another password now. His sessions are over.`);
  });
}

const pageSize = 500;

/** Ids of the user groups with these names. Those that do not exist are created, or refused. */
async function findGroups(objects: ObjectRepository, names: readonly string[], creates: boolean): Promise<ObjectId[]> {
  if (names.length === 0) return [];
  const existing = new Map((await allGroups(objects)).map(({ id, attributes }) => [attributes["Name"], id]));
  const missing = [...new Set(names)].filter((name) => !existing.has(name));
  if (missing.length > 0 && !creates) {
    const list = missing.map((name) => `"${name}"`).join(", ");
    throw new CommandError(`There is no user group ${list}. --create-groups creates it.`);
  }
  const made = await objects.insert(missing.map((name) => ({ className: "UserGroup", attributes: { Name: name } })));
  for (const { id, attributes } of made) existing.set(attributes["Name"], id);
  return [...new Set(names)].map((name) => existing.get(name)).filter((id) => id !== undefined);
}

/** The user groups of a database, whoever may see them. */
async function allGroups(objects: ObjectRepository): Promise<StoredObject[]> {
  const groups: StoredObject[] = [];
  let page: readonly StoredObject[];
  do {
    ({ objects: page } = await objects.find({ classes: ["UserGroup"] }, seesAll, {
      offset: groups.length,
      limit: pageSize,
    }));
    groups.push(...page);
  } while (page.length === pageSize);
  return groups;
}

import { operatorEvent, UserNames } from "@sallyport/core";
import type { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { commandGroup } from "../command-group.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { acceptEmail } from "../custom-users/find-custom-user.ts";
import { acceptPassword } from "./accept-password.ts";
import { disableUserCommand, enableUserCommand, setEmailCommand } from "./change-user.ts";
import { findGroups } from "./find-groups.ts";
import { listUsersCommand } from "./list-users.ts";
import { readPassword } from "./read-password.ts";
import { setPasswordCommand } from "./set-password.ts";

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
      await new UserNames(r.oneTime, digests).reserve({ id: user.id, name });
      await r.audit.append(operatorEvent({ type: "account.created", userId: user.id }));
    });
    console.log(`The user "${name}" exists now.`);
  });
}

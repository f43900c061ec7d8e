import { operatorEvent } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { acceptPassword } from "../users/accept-password.ts";
import { readPassword } from "../users/read-password.ts";
import { acceptEmail, findDatabaseUser } from "./find-custom-user.ts";

interface AddOptions extends AliasOptions {
  readonly user: string;
  readonly email?: string;
  readonly passwordFile?: string;
}

/** `custom-users add`. */
export function addCustomUserCommand(): Command {
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
      await createCustomAccount.run(r.customAccounts, { loginName: name, password, userId, email, clientHash });
      await r.audit.append(operatorEvent({ type: "customUser.stored", userId }));
    });
    console.log(`The custom user "${name}" exists now, and works as "${options.user}".`);
  });
}

import { loginNameOf, operatorEvent } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { acceptPassword } from "./accept-password.ts";
import { readPassword } from "./read-password.ts";

interface SetOptions extends AliasOptions {
  readonly passwordFile?: string;
}

/** `user set-password`. */
export function setPasswordCommand(): Command {
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
    const { account } = await storage.repositories.accounts.forProof(loginNameOf(name), []);
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

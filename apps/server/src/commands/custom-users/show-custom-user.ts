import { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { withDatabase } from "../databases/with-database.ts";
import { tableLines } from "../lists/table-lines.ts";
import { findCustomUser } from "./find-custom-user.ts";
import { customUserJson, withUsers } from "./list-custom-users.ts";

interface ShowOptions extends AliasOptions {
  readonly json?: true;
}

/** `custom-users show`. It shows nothing that opens anything. */
export function showCustomUserCommand(): Command {
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

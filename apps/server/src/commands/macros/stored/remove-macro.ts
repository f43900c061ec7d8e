import { Command } from "commander";
import { identifiers } from "../../../composition/identifiers.ts";
import { CommandError } from "../../command-error.ts";
import { configurationOption } from "../../configuration-option.ts";
import { aliasOption, oneDatabase } from "../../databases/alias-option.ts";
import { withDatabase } from "../../databases/with-database.ts";
import { authorOf, authorOption, type ChangeOptions, expectedVersionOf, ifVersionOption } from "./change-options.ts";

/** `macro remove`. */
export function removeMacroCommand(): Command {
  return new Command("remove")
    .description("take a macro out of a database; its history stays, and running servers see it with the next request")
    .argument("<name>", "name of the macro")
    .addOption(ifVersionOption())
    .addOption(authorOption())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(remove);
}

async function remove(name: string, options: ChangeOptions): Promise<void> {
  const removal = { changedBy: authorOf(options), expectedVersion: expectedVersionOf(options) };
  await withDatabase(options, async ({ database, container }) => {
    const removeMacro = await container.getAsync(identifiers.removeMacro);
    const outcome = await removeMacro.run(database, name, removal);
    if (outcome === "unknown") throw new CommandError(`There is no macro "${name}".`);
    if (outcome === "stale")
      throw new CommandError(`The current version of "${name}" is another one; nothing was changed.`);
    console.log(`The macro "${name}" is removed. "macro history ${name}" shows what it was.`);
  });
}

import type { MacroVersion } from "@sallyport/core";
import { Command } from "commander";
import { CommandError } from "../../command-error.ts";
import { configurationOption } from "../../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../../databases/alias-option.ts";
import { withDatabase } from "../../databases/with-database.ts";
import { printable } from "../../lists/printable.ts";
import { versionOf } from "./change-options.ts";

interface ShowOptions extends AliasOptions {
  readonly version?: string;
}

/** `macro show`. */
export function showMacroCommand(): Command {
  return new Command("show")
    .description("print the text of a macro in a database, or what it was")
    .argument("<name>", "name of the macro")
    .option("--version <number>", "another version than the current one; macro history lists them")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(show);
}

async function show(name: string, options: ShowOptions): Promise<void> {
  const version = options.version === undefined ? null : versionOf(options.version, "--version");
  const found = await withDatabase(options, ({ database }) =>
    database.storage.repositories.macros.history(name, 1, version === null ? null : version + 1),
  );
  process.stdout.write(shown(textOf(found[0], name, version)));
}

function textOf(found: MacroVersion | undefined, name: string, version: number | null): string {
  if (version === null) {
    if (found === undefined) throw new CommandError(`There is no macro "${name}".`);
    if (found.text === null)
      throw new CommandError(`The macro "${name}" was removed. "macro history ${name}" lists what it was.`);
    return found.text;
  }
  if (found?.version !== version) throw new CommandError(`There is no version ${version} of the macro "${name}".`);
  if (found.text === null) throw new CommandError(`Version ${version} of the macro "${name}" is its removal.`);
  return found.text;
}

/** A file gets the text as it is, a terminal nothing that it would obey. */
function shown(text: string): string {
  return process.stdout.isTTY
    ? text
        .split("\n")
        .map((line) => line.split("\t").map(printable).join("\t"))
        .join("\n")
    : text;
}

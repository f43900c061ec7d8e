import { readFileSync } from "node:fs";
import { extname, parse } from "node:path";
import { isMacroName, MacroFault } from "@sallyport/core";
import { Command } from "commander";
import { identifiers } from "../../../composition/identifiers.ts";
import { CommandError } from "../../command-error.ts";
import { macroLanguages } from "../../../macros/macro-languages.ts";
import { configurationOption } from "../../configuration-option.ts";
import { aliasOption, oneDatabase } from "../../databases/alias-option.ts";
import { withDatabase } from "../../databases/with-database.ts";
import { authorOf, authorOption, type ChangeOptions, expectedVersionOf, ifVersionOption } from "./change-options.ts";

/** `macro put`. */
export function putMacroCommand(): Command {
  return new Command("put")
    .description(
      "store a macro in a database, as the next version of its name; running servers use it with the next request",
    )
    .argument("<file>", "its text; the name of the file without its ending is that of the macro")
    .addOption(ifVersionOption())
    .addOption(authorOption())
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(put);
}

async function put(file: string, options: ChangeOptions): Promise<void> {
  const { name } = parse(file);
  const language = macroLanguages.get(extname(file));
  if (language === undefined)
    throw new CommandError(`${file}: a macro is a file that ends in ${[...macroLanguages.keys()].join(", ")}.`);
  if (!isMacroName(name))
    throw new CommandError(
      `"${name}" cannot be the name of a macro: a letter or _, then letters, digits and _, 128 at most.`,
    );
  const [changedBy, expectedVersion] = [authorOf(options), expectedVersionOf(options)];
  const text = textOf(file);
  await withDatabase(options, async ({ database, container }) => {
    const [putMacro, runtime] = [
      await container.getAsync(identifiers.putMacro),
      await container.getAsync(identifiers.macroRuntime),
    ];
    const putting = putMacro.run(database, { name, text, language, changedBy }, expectedVersion);
    const { outcome, version } = await putting
      .catch((error: unknown) => refuse(error, file))
      .finally(() => runtime.close());
    if (outcome === "stale")
      throw new CommandError(
        version === 0
          ? `There is no macro "${name}".`
          : `The current version of "${name}" is ${version}; nothing was changed.`,
      );
    console.log(
      outcome === "stored"
        ? `The macro "${name}" is stored as version ${version}.`
        : `The macro "${name}" is the same as version ${version}; nothing was changed.`,
    );
  });
}

/** Says of what is no macro where it went wrong. */
function refuse(error: unknown, file: string): never {
  if (!(error instanceof MacroFault)) throw error;
  const { message, line, column = 1 } = error;
  throw new CommandError(`${line === undefined ? `${file}:` : `${file}:${line}:${column}`} ${message}`, {
    cause: error,
  });
}

function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`The file ${file} is no text in UTF-8.`, { cause });
  }
}

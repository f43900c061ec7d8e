import { userInfo } from "node:os";
import { extname, parse } from "node:path";
import { isMacroName, MacroFault, MacroStore, type MacroVersion, removeMacro, putMacro } from "@sallyport/core";
import { printable } from "@sallyport/client/terminal";
import { components } from "../../composition/components.ts";
import { macroLanguages } from "../../macros/folder-macro-source.ts";
import { CommandError } from "../../command-line/command-error.ts";
import { defineMoved } from "../moved-commands.ts";
import { readNamedFile, type ServerCommand, type Work } from "../../command-line/server-command.ts";

/** `macro put|show|remove`: sources pass through no session. */
export function addStoredMacroCommands(group: ServerCommand): void {
  const change = (verb: string, description: string, argument: string, help: string) =>
    group
      .command(verb)
      .description(description)
      .argument(argument, help)
      .option("--if-version <number>", "fail unless this is the current version; 0: fail if the macro exists")
      .option("--by <name>", "author of the change (default: the operating system user)");
  change(
    "put",
    "store a macro or a hook in the database, as its next version; takes effect with the next request",
    "<file>",
    "source file; its base name is the name of the macro",
  ).onDatabase(put);
  group
    .command("show")
    .description("print the source of a stored macro")
    .argument("<name>", "name of the macro")
    .option("--version <number>", "version (default: current); see sallyport macro history")
    .onDatabase(show);
  change(
    "remove",
    "remove a stored macro but keep its history; takes effect with the next request",
    "<name>",
    "name of the macro",
  ).onDatabase(remove);
  defineMoved(group, ["list", "history"]);
}

function put(file: string, options: ChangeOptions): Work {
  const { name } = parse(file);
  const language = macroLanguages.get(extname(file));
  if (language === undefined)
    throw new CommandError(`${file}: the file extension must be ${[...macroLanguages.keys()].join(", ")}.`);
  if (!isMacroName(name))
    throw new CommandError(
      `"${name}" is not a macro name: a letter or _, then letters, digits and _, at most 128 in all.`,
    );
  const [changedBy, expectedVersion] = [authorOf(options), expectedVersionOf(options)];
  const text = textOf(file);
  return async ({ container, serving }) => {
    const runtime = await container.getAsync(components.macroRuntime);
    const putting = putMacro(await serving("moduleInspector"), { name, text, language, changedBy, expectedVersion });
    const { outcome, version } = await putting
      .catch((error: unknown) => refuse(error, file))
      .finally(() => runtime.close());
    if (outcome === "stale")
      throw new CommandError(
        version === 0
          ? `There is no macro "${name}".`
          : `The current version of "${name}" is ${version}. Nothing was changed.`,
      );
    console.log(
      outcome === "stored"
        ? `Stored macro "${name}" as version ${version}.`
        : `The macro "${name}" is identical to version ${version}. Nothing was changed.`,
    );
  };
}

/** Adds file, line and column to a macro fault. */
function refuse(error: unknown, file: string): never {
  if (!(error instanceof MacroFault)) throw error;
  const { message, line, column = 1 } = error;
  throw new CommandError(`${line === undefined ? `${file}:` : `${file}:${line}:${column}`} ${message}`, {
    cause: error,
  });
}

function textOf(file: string): string {
  const bytes = readNamedFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`The file ${file} is not UTF-8.`, { cause });
  }
}

function show(name: string, options: { readonly version?: string }): Work {
  const version = options.version === undefined ? null : versionOf(options.version, "--version");
  return async ({ database }) => {
    const macros = new MacroStore(database.storage.repositories);
    const [macro] = await macros.history(name, 1, version === null ? null : version + 1);
    process.stdout.write(shown(storedText(macro, name, version)));
  };
}

function storedText(macro: MacroVersion | undefined, name: string, version: number | null): string {
  if (version === null) {
    if (macro === undefined) throw new CommandError(`There is no macro "${name}".`);
    if (macro.text === null)
      throw new CommandError(`The macro "${name}" was removed. See "sallyport --local macro history ${name}".`);
    return macro.text;
  }
  if (macro?.version !== version) throw new CommandError(`There is no version ${version} of the macro "${name}".`);
  if (macro.text === null) throw new CommandError(`Version ${version} of the macro "${name}" is a removal.`);
  return macro.text;
}

/** A file receives the text unchanged. A terminal receives no control sequences. */
function shown(text: string): string {
  return process.stdout.isTTY
    ? text
        .split("\n")
        .map((line) => line.split("\t").map(printable).join("\t"))
        .join("\n")
    : text;
}

function remove(name: string, options: ChangeOptions): Work {
  const removal = { changedBy: authorOf(options), expectedVersion: expectedVersionOf(options) };
  return async ({ administration }) => {
    const outcome = await removeMacro(administration, { name, ...removal });
    if (outcome === "unknown") throw new CommandError(`There is no macro "${name}".`);
    if (outcome === "stale")
      throw new CommandError(`The version of "${name}" is not the current one. Nothing was changed.`);
    console.log(`Removed macro "${name}". See "sallyport --local macro history ${name}".`);
  };
}

interface ChangeOptions {
  readonly by?: string;
  readonly ifVersion?: string;
}

function authorOf({ by }: ChangeOptions): string {
  const name = by ?? systemUser();
  if (name.trim() === "" || name.length > 255) throw new CommandError("--by must have 1 to 255 characters.");
  return name;
}

/** A container can run as a user without a name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

function expectedVersionOf({ ifVersion }: ChangeOptions): number | null {
  return ifVersion === undefined ? null : versionOf(ifVersion, "--if-version");
}

/** Parses the version number of an option. */
function versionOf(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${option} must be a version number.`);
  return Number(text);
}

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { extname, parse } from "node:path";
import { isMacroName, removeMacro, MacroFault, type MacroVersion, type StoredMacro, MacroStore } from "@sallyport/core";
import { Command, Option } from "commander";
import { identifiers } from "../../composition/identifiers.ts";
import { terminalStyle } from "../../demo/index.ts";
import { macroLanguages } from "../../macros/folder-macro-source.ts";
import { CommandError } from "../command-group.ts";
import { aliasOption, type AliasOptions, configurationOption, oneDatabase } from "../command-options.ts";
import { listCommand } from "../list-command.ts";
import { printable, tableLines } from "../table-lines.ts";
import { withDatabase } from "../with-database.ts";

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
  await withDatabase(options, async ({ administration, container }) => {
    const [putMacro, runtime] = [
      await container.getAsync(identifiers.putMacro),
      await container.getAsync(identifiers.macroRuntime),
    ];
    const putting = putMacro.run(administration, { name, text, language, changedBy, expectedVersion });
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

/** `macro list`. */
export function listMacrosCommand(): Command {
  return listCommand<StoredMacro>({
    plural: "macros",
    read: async ({ database }) => (await new MacroStore(database.storage.repositories).load()).macros,
    json: ({ name, language, version, text, changedAt, changedBy }) => ({
      name,
      language,
      version,
      bytes: Buffer.byteLength(text),
      changedAt: new Date(changedAt).toISOString(),
      changedBy,
    }),
    columns: {
      NAME: ({ name }) => name,
      LANGUAGE: ({ language }) => language,
      VERSION: ({ version }) => String(version),
      BYTES: ({ text }) => String(Buffer.byteLength(text)),
      CHANGED: ({ changedAt }) => new Date(changedAt).toISOString(),
      BY: ({ changedBy }) => changedBy,
    },
  });
}

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
    new MacroStore(database.storage.repositories).history(name, 1, version === null ? null : version + 1),
  );
  process.stdout.write(shown(storedText(found[0], name, version)));
}

function storedText(found: MacroVersion | undefined, name: string, version: number | null): string {
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

interface HistoryOptions extends AliasOptions {
  readonly json?: true;
}

/** A version without its text. */
type Line = Omit<MacroVersion, "text" | "name" | "changedAt"> & {
  readonly changedAt: string;
  readonly bytes: number | null;
};

/** Texts are read along, so not too many at once. */
const partSize = 20;

/** `macro history`. */
export function macroHistoryCommand(): Command {
  return new Command("history")
    .description("list the versions of a macro in a database, the latest first; also of one that was removed")
    .argument("<name>", "name of the macro")
    .option("--json", "print JSON, for scripts")
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .action(showHistory);
}

async function showHistory(name: string, options: HistoryOptions): Promise<void> {
  const lines = await withDatabase(options, async ({ database }) => {
    const macros = new MacroStore(database.storage.repositories);
    const all: Line[] = [];
    for (;;) {
      const part = await macros.history(name, partSize, all.at(-1)?.version ?? null);
      all.push(...part.map(lineOf));
      if (part.length < partSize) return all;
    }
  });
  if (lines.length === 0) throw new CommandError(`There never was a macro "${name}".`);
  if (options.json) {
    console.log(JSON.stringify(lines, null, 2));
    return;
  }
  const rows = lines.map(({ version, language, bytes, changedAt, changedBy }) => [
    String(version),
    language ?? "removed",
    bytes === null ? "" : String(bytes),
    changedAt,
    changedBy,
  ]);
  const [heading, ...rest] = tableLines(["VERSION", "LANGUAGE", "BYTES", "CHANGED", "BY"], rows);
  console.log([terminalStyle(process.stdout).strong(heading as string), ...rest].join("\n"));
}

function lineOf({ version, text, language, changedAt, changedBy }: MacroVersion): Line {
  return {
    version,
    language,
    bytes: text === null ? null : Buffer.byteLength(text),
    changedAt: new Date(changedAt).toISOString(),
    changedBy,
  };
}

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
  await withDatabase(options, async ({ administration }) => {
    const outcome = await removeMacro(administration, { name, ...removal });
    if (outcome === "unknown") throw new CommandError(`There is no macro "${name}".`);
    if (outcome === "stale")
      throw new CommandError(`The current version of "${name}" is another one; nothing was changed.`);
    console.log(`The macro "${name}" is removed. "macro history ${name}" shows what it was.`);
  });
}

interface ChangeOptions extends AliasOptions {
  readonly by?: string;
  readonly ifVersion?: string;
}

/** `--by`. */
function authorOption(): Option {
  return new Option("--by <name>", "who makes the change, for the history (default: the user of the operating system)");
}

/** `--if-version`. */
function ifVersionOption(): Option {
  return new Option("--if-version <number>", "only if this is still the current version; 0: only if there is none");
}

function authorOf({ by }: ChangeOptions): string {
  const name = by ?? systemUser();
  if (name.trim() === "" || name.length > 255) throw new CommandError("--by takes a name of 1 to 255 characters.");
  return name;
}

/** A container may run as a user that has no name. */
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

/** The version that an option names. */
function versionOf(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${option} takes the number of a version.`);
  return Number(text);
}

import { readFileSync } from "node:fs";
import { Command } from "commander";
import { didYouMean } from "../configuration/index.ts";
import { terminalStyle } from "../demo/index.ts";
import { CommandError } from "./report-failure.ts";
import { tableLines } from "./table-lines.ts";
import { type OpenedDatabase, withDatabase } from "./with-database.ts";

export interface AliasOptions {
  readonly config?: string;
  readonly alias?: string;
}

/** What a command does with the database that its options name. */
export type Work = (opened: OpenedDatabase) => Promise<void>;

/** A command of the server, or a group of them. */
export class ServerCommand extends Command {
  override createCommand(name?: string): ServerCommand {
    return new ServerCommand(name);
  }

  /** Adds `--config`, which every command takes that reads the configuration. */
  withConfiguration(): this {
    return this.option(
      "-c, --config <file>",
      "configuration file (default: SALLYPORT_CONFIG, or ./sallyport.config.json if it exists)",
    );
  }

  /** Adds `--alias` and `--config`. Help shows options in the order in which they were added. */
  withAlias(otherwise = "the empty alias, or the only one there is"): this {
    return this.option("-a, --alias <alias>", `alias of the database (default: ${otherwise})`).withConfiguration();
  }

  /** Says what the command does, and adds `--alias` and `--config` if it lacks them. `prepare` judges what was given before the database is opened. */
  onDatabase<Given extends unknown[]>(prepare: (...given: Given) => Work | Promise<Work>): this {
    if (!this.options.some(({ long }) => long === "--alias")) this.withAlias();
    return this.action(async (...given: Given) => {
      const work = await prepare(...given);
      await withDatabase(this.opts<AliasOptions>(), work);
    });
  }
}

/** A command that only has others below it. */
export function commandGroup(name: string, description: string): ServerCommand {
  const group = new ServerCommand(name).description(description);
  return group.on("command:*", ([word]: string[]) => {
    throw noSuchCommand(String(word), group);
  });
}

/** The refusal of a word that is none of a command's own, with the one that was probably meant. */
export function noSuchCommand(word: string, parent: Command): CommandError {
  const path = parent.parent === null ? [] : [parent.name()];
  const meant = didYouMean(
    word,
    parent.commands.map((each) => each.name()),
  );
  const help = [...path, "--help"].join(" ");
  const advice =
    meant === undefined ? `"${help}" lists what there is.` : `Did you mean "${[...path, meant].join(" ")}"?`;
  return new CommandError(`There is no command "${[...path, word].join(" ")}". ${advice}`);
}

export interface JsonOptions {
  readonly json?: true;
}

/** What a list shows of each element. */
interface Shown<T> {
  /** For scripts. */
  readonly json: (each: T) => object;
  /** For people, by the heading of the column. */
  readonly columns: Readonly<Record<string, (each: T) => string>>;
}

interface Listed<T> extends Shown<T> {
  /** What is listed, such as `app keys`. */
  readonly plural: string;
  readonly read: (opened: OpenedDatabase) => Promise<readonly T[]>;
}

/** A subcommand `list`. It shows nothing that opens anything. */
export function listCommand<T>({ plural, read, ...shown }: Listed<T>): ServerCommand {
  return new ServerCommand("list")
    .description(`list the ${plural} of a database`)
    .option("--json", "print JSON, for scripts")
    .onDatabase((options: JsonOptions) => async (opened) => {
      const all = await read(opened);
      if (all.length === 0 && !options.json) console.error(`There are no ${plural}.`);
      else printList(all, shown, options);
    });
}

/** Prints a list as JSON, or as a table. */
export function printList<T>(all: readonly T[], { json, columns }: Shown<T>, options: JsonOptions): void {
  if (options.json) {
    printJson(all.map(json));
    return;
  }
  const rows = all.map((each) => Object.values(columns).map((column) => column(each)));
  const [heading, ...lines] = tableLines(Object.keys(columns), rows);
  console.log([terminalStyle(process.stdout).strong(heading as string), ...lines].join("\n"));
}

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}

/** The content of a file that an option names. */
export function readGivenFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
}

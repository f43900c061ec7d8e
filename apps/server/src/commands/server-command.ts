import { readFileSync } from "node:fs";
import { Command } from "commander";
import { didYouMean } from "../configuration/did-you-mean.ts";
import { CommandError } from "./command-error.ts";
import type { OpenedDatabase } from "./with-database.ts";

export interface AliasOptions {
  readonly config?: string;
  readonly alias?: string;
}

/** What a command does with the database that its options name. */
export type Work = (opened: OpenedDatabase) => Promise<void>;

/** A command of the server, or a group of them. */
export class ServerCommand extends Command {
  constructor(name?: string) {
    super(name);
    // Only a group, which does nothing by itself, hears of a word that is none of its commands.
    this.on("command:*", ([word]: string[]) => {
      throw noSuchCommand(String(word), this);
    });
  }

  override createCommand(name?: string): ServerCommand {
    return new ServerCommand(name);
  }

  /** Adds `--config`, which every command takes that reads the configuration. */
  withConfiguration(): this {
    return this.option(
      "-c, --config <file>",
      "configuration file (default: $SALLYPORT_CONFIG, else ./sallyport.config.json)",
    );
  }

  /** Adds `--alias` and `--config`. Help shows options in the order in which they were added. */
  withAlias(otherwise = "the empty alias, or the only database"): this {
    return this.option("-a, --alias <alias>", `alias of the database (default: ${otherwise})`).withConfiguration();
  }

  /** Says what the command does, and adds `--alias` and `--config` if it lacks them. `prepare` judges what was given before the database is opened. */
  onDatabase<Given extends unknown[]>(prepare: (...given: Given) => Work | Promise<Work>): this {
    if (!this.options.some(({ long }) => long === "--alias")) this.withAlias();
    return this.action(async (...given: Given) => {
      const work = await prepare(...given);
      // What opens databases is loaded by the commands that need one.
      const { withDatabase } = await import("./with-database.ts");
      await withDatabase(this.opts<AliasOptions>(), work);
    });
  }
}

/** The refusal of a word that is none of a command's own, with the one that was probably meant. */
export function noSuchCommand(word: string, parent: Command): CommandError {
  const path = parent.parent === null ? [] : [parent.name()];
  const meant = didYouMean(
    word,
    parent.commands.map((each) => each.name()),
  );
  const help = [...path, "--help"].join(" ");
  const advice = meant === undefined ? `See "${help}".` : `Did you mean "${[...path, meant].join(" ")}"?`;
  return new CommandError(`Unknown command "${[...path, word].join(" ")}". ${advice}`);
}

/** The content of a file that an option names. */
export function readGivenFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
}

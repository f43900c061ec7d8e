import { readFileSync } from "node:fs";
import { Command } from "commander";
import { didYouMean } from "@sallyport/client/terminal";
import { CommandError } from "./command-error.ts";
import type { OpenedDatabase } from "./with-database.ts";

export interface AliasOptions {
  readonly config?: string;
  readonly alias?: string;
}

/** Action of a command on the database of its options. */
export type Work = (opened: OpenedDatabase) => Promise<void>;

/** A command of the server, or a group of commands. */
export class ServerCommand extends Command {
  constructor(name?: string) {
    super(name);
    // Only a group without an action receives this event for unknown words.
    this.on("command:*", ([word]: string[]) => {
      throw noSuchCommand(String(word), this);
    });
  }

  override createCommand(name?: string): ServerCommand {
    return new ServerCommand(name);
  }

  /** Adds `--config`. */
  withConfiguration(): this {
    return this.option(
      "-c, --config <file>",
      "configuration file (default: $SALLYPORT_CONFIG, else ./sallyport.config.json)",
    );
  }

  /** Adds `--alias` and `--config`. Help lists options in the order of their addition. */
  withAlias(otherwise = "the empty alias, or the only database"): this {
    return this.option("-a, --alias <alias>", `alias of the database (default: ${otherwise})`).withConfiguration();
  }

  /** Adds the options with which a command reads a new password. */
  withPassword(): this {
    return this.option("--password-file <file>", "read the password from this file").option(
      "--password-digest",
      "import the MD5 of a password, 32 hexadecimal digits, instead of a password",
    );
  }

  /** Sets the action; adds `--alias` and `--config` if absent. `prepare` runs before the database opens. */
  onDatabase<Arguments extends unknown[]>(prepare: (...args: Arguments) => Work | Promise<Work>): this {
    if (!this.options.some(({ long }) => long === "--alias")) this.withAlias();
    return this.action(async (...args: Arguments) => {
      const work = await prepare(...args);
      // Loaded lazily, because only some commands open a database.
      const { withDatabase } = await import("./with-database.ts");
      await withDatabase(this.opts<AliasOptions>(), work);
    });
  }
}

/** The error for an unknown command, with a suggestion. */
export function noSuchCommand(word: string, parent: Command): CommandError {
  const path = parent.parent === null ? [] : [parent.name()];
  const suggestion = didYouMean(
    word,
    parent.commands.map((each) => each.name()),
  );
  const help = [...path, "--help"].join(" ");
  const advice = suggestion === undefined ? `See "${help}".` : `Did you mean "${[...path, suggestion].join(" ")}"?`;
  return new CommandError(`Unknown command "${[...path, word].join(" ")}". ${advice}`);
}

/** Reads a file that an option names. */
export function readNamedFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read.`, { cause });
  }
}

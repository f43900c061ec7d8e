import type { MacroVersion } from "@sallyport/core";
import { Command } from "commander";
import { terminalStyle } from "../../../demo/index.ts";
import { CommandError } from "../../command-error.ts";
import { configurationOption } from "../../configuration-option.ts";
import { type AliasOptions, aliasOption, oneDatabase } from "../../databases/alias-option.ts";
import { withDatabase } from "../../databases/with-database.ts";
import { tableLines } from "../../lists/table-lines.ts";

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
    .action(show);
}

async function show(name: string, options: HistoryOptions): Promise<void> {
  const lines = await withDatabase(options, async ({ database }) => {
    const { macros } = database.storage.repositories;
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

import { readFileSync } from "node:fs";
import { types } from "node:util";
import type { JsonValue } from "@sallyport/core";
import { Command } from "commander";
import { trialReport } from "../../authoring/trial-report.ts";
import { aliasOption, oneDatabase } from "../databases/alias-option.ts";
import { CommandError } from "../command-error.ts";
import { configurationOption } from "../configuration-option.ts";
import { macroFolderOption } from "./macro-folder.ts";
import { type TrialOptions, withTrial } from "./with-trial.ts";

interface RunOptions extends TrialOptions {
  readonly as: string;
  readonly app?: readonly string[];
  readonly input?: string;
  readonly skipChecker?: true;
  readonly commit?: true;
}

/** `macro run`: executes a macro once and tells all about it. */
export function runMacroCommand(): Command {
  return new Command("run")
    .description("execute a macro as a user and print what it gives, logs and asks for; nothing is kept")
    .argument("<name>", "the macro")
    .requiredOption("--as <user>", "the user who executes it; no password is asked for")
    .option("--app <name...>", "app names of the session (default: all that there are)")
    .option(
      "--input <json>",
      "what a client would send: JSON, or @ and the name of a file with JSON (default: nothing)",
    )
    .option("--skip-checker", "as with ?skipChecker=true")
    .option("--configured", "on the database of the configuration (default: the demo, in memory)")
    .option("--commit", "keep what it does, with --configured")
    .addOption(macroFolderOption(", or the demo's"))
    .addOption(aliasOption(oneDatabase))
    .addOption(configurationOption())
    .addHelpText(
      "after",
      "\nThe result goes to standard output as JSON, everything else to standard error; exit code 1 if the macro fails or refuses.",
    )
    .action(run);
}

async function run(macro: string, options: RunOptions): Promise<void> {
  const { as: user, app: appNames, skipChecker = false, commit = false } = options;
  if (commit && !options.configured)
    throw new CommandError("--commit goes together with --configured: the demo in memory is gone afterwards.");
  const input = options.input === undefined ? undefined : inputOf(options.input);
  await withTrial(options, async ({ trial, folder }) => {
    const outcome = await trial.run({ macro, user, appNames, input, skipChecker, commit });
    const { result, notes } = trialReport(outcome, macro, folder);
    if (result !== null) console.log(result);
    console.error([...notes, ...(commit ? [] : ["Nothing of it was kept."])].join("\n"));
    if (outcome.error !== undefined) process.exitCode = 1;
  });
}

function inputOf(given: string): JsonValue {
  try {
    return JSON.parse(given.startsWith("@") ? readFileSync(given.slice(1), "utf8") : given) as JsonValue;
  } catch (error) {
    throw new CommandError(`--input is no JSON: ${types.isNativeError(error) ? error.message : "unknown"}`);
  }
}

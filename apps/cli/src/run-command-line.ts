import { CommanderError } from "commander";
import { report } from "./failures.ts";
import { mainCommand } from "./main-command.ts";

/** Runs the command line with these arguments, and sets the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    await mainCommand().parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander has printed the reason, or the help.
    if (error instanceof CommanderError) {
      const isAnswer = error.code === "commander.helpDisplayed" || error.code === "commander.version";
      process.exitCode = isAnswer ? 0 : 2;
    } else {
      report(error);
    }
  }
}

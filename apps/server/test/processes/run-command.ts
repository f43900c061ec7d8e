import { ProcessExit, runInProcess } from "@sallyport/test-kit/commands/run-in-process";
import { mainCommand } from "../../src/commands/main-command.ts";
import { reportFailure } from "../../src/command-line/report-failure.ts";
import type { Ended } from "./server-process.ts";

/**
 * Runs a command of the server in this process. It gets these arguments, environment, folder and input, as
 * `ServerProcess` gives them to the program.
 */
export function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder: string,
  input = "",
): Promise<Ended> {
  return runInProcess(
    async () => {
      try {
        await mainCommand().parseAsync(args, { from: "user" });
      } catch (error) {
        if (error instanceof ProcessExit) throw error;
        reportFailure(error);
      }
    },
    { environment: { ...cheapHashes, ...environment }, folder, input },
  );
}

const cheapHashes = { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" };

/** The built command line of administrators. Nothing imports an app, so the test loads it as a program. */
const commandLine = new URL("../../../cli/dist/run-command-line.js", import.meta.url).href;

/** Runs a command of `sallyport --local` in this process, as `runCommand` runs those of the server. */
export async function runOperator(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  folder: string,
  input = "",
): Promise<Ended> {
  const { runCommandLine } = (await import(commandLine)) as {
    readonly runCommandLine: (args: readonly string[]) => Promise<void>;
  };
  return runInProcess(() => runCommandLine(["--local", ...args]), {
    environment: { ...cheapHashes, ...environment },
    folder,
    input,
  });
}

import { ProcessExit, runInProcess } from "@sallyport/test-kit/commands/run-in-process";
import { mainCommand } from "../../src/commands/main-command.ts";
import { reportFailure } from "../../src/commands/report-failure.ts";
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
  const context = {
    environment: { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1", ...environment },
    folder,
    input,
  };
  return runInProcess(async () => {
    try {
      await mainCommand().parseAsync(args, { from: "user" });
    } catch (error) {
      if (error instanceof ProcessExit) throw error;
      reportFailure(error);
    }
  }, context);
}

import { types } from "node:util";
import { ServiceError } from "@sallyport/storage";
import { isClosedPipe } from "@sallyport/client/terminal";
import { TrialError } from "../authoring/trial.ts";
import { databaseDiagnostics } from "../composition/storages/database-diagnostics.ts";
import { StartError } from "../composition/start-error.ts";
import { ConfigurationError, isDebugging } from "../configuration/index.ts";
import { sourceStack } from "../monitoring/source-stack.ts";
import { CommandError } from "./command-error.ts";

/** Runs `work` and adds advice to an error with this code. */
export async function advising<T>(code: ServiceError["code"], advice: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== code || error.detail === undefined) throw error;
    throw new CommandError(`${error.detail} ${advice}`, { cause: error });
  }
}

/** Prints why a command failed. The stack is printed in debug mode only. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`error: ${describeError(error)}\n`);
  if (isDebugging() && error instanceof Error) process.stderr.write(`${sourceStack(error.stack ?? "")}\n`);
  process.exitCode = 1;
}

/** Error codes of the embedded engine with messages for users. */
const selfExplanatoryCodes: ReadonlySet<string> = new Set(["DIRECTORY_LOCKED", "ENGINE_STOPPED"]);

/** Message of an error for the terminal. */
export function describeError(error: unknown): string {
  if ([ConfigurationError, StartError, CommandError, TrialError].some((plain) => error instanceof plain))
    return (error as Error).message;
  if (error instanceof ServiceError) {
    const { detail, cause } = error;
    const diagnostics = databaseDiagnostics(error, null);
    if (diagnostics !== null) return diagnostics;
    const what = detail ?? error.message;
    return types.isNativeError(cause) && cause.message !== "" ? `${what} (${cause.message})` : what;
  }
  if (types.isNativeError(error)) {
    const { code } = error as { code?: unknown };
    if (isClosedPipe(error)) return "The output was closed before its end.";
    return selfExplanatoryCodes.has(String(code)) ? error.message : `Unexpected error: ${error.message}`;
  }
  return "Unexpected error.";
}

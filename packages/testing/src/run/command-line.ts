import type { WriteStream } from "node:tty";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** The output streams and environment of a command. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown } & Partial<Pick<WriteStream, "isTTY" | "hasColors">>;
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command cannot run. The message tells how to fix it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Parses arguments. Throws a `UsageError` for others than the declared ones. */
export function parsedArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Does the work of a command, which returns its exit code. A failure is printed; the exit code is then 2. */
export async function runCommandLine(
  { stderr }: Pick<Terminal, "stderr">,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const hint = error instanceof UsageError || error instanceof TypeError ? "\n(see --help)" : "";
    stderr.write(`error: ${error instanceof Error ? error.message : String(error)}${hint}\n`);
    return 2;
  }
}

/** Aborted by SIGINT and SIGTERM, with the exit code as its reason. A second signal ends the process at once. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(130)).once("SIGTERM", () => stop.abort(143));
  return stop.signal;
}

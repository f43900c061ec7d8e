import { Readable, Writable } from "node:stream";
import { format } from "node:util";

/** The end of a command. */
export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandContext {
  /** All environment variables of the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** The current directory of the command. */
  readonly folder: string;
  /** Standard input. */
  readonly input: string;
}

/** `process.exit` throws it in a command that runs in this process. */
export class ProcessExit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** The streams and the environment of this process, which one command uses at a time. */
let idle: Promise<unknown> = Promise.resolve();

/** Runs the main function of a program in this process, which takes a fraction of the time of a separate one. */
export function runInProcess(main: () => Promise<void>, context: CommandContext): Promise<EndedCommand> {
  const ended = idle.then(() => runAlone(main, context));
  idle = ended.catch(() => {});
  return ended;
}

async function runAlone(
  main: () => Promise<void>,
  { environment, folder, input }: CommandContext,
): Promise<EndedCommand> {
  const written = { stdout: "", stderr: "" };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
  const [stdout, stderr] = [into("stdout"), into("stderr")];
  const restore = [
    replace(process, "env", environment),
    replace(process, "stdin", Readable.from(input === "" ? [] : [Buffer.from(input)])),
    replace(process, "stdout", stdout),
    replace(process, "stderr", stderr),
    replace(process, "exit", (code = 0) => {
      throw new ProcessExit(Number(code));
    }),
    replace(console, "log", (...words: unknown[]) => stdout.write(`${format(...words)}\n`)),
    replace(console, "error", (...words: unknown[]) => stderr.write(`${format(...words)}\n`)),
  ];
  const home = process.cwd();
  const exitCodeBefore = process.exitCode;
  process.exitCode = undefined;
  process.chdir(folder);
  let code = 0;
  try {
    await main();
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof ProcessExit)) throw error;
    code = error.code;
  } finally {
    process.chdir(home);
    process.exitCode = exitCodeBefore;
    for (const each of restore.toReversed()) each();
  }
  return { code, ...written };
}

/** Replaces a property, and returns a function that restores it. */
function replace<T extends object>(of: T, name: keyof T, value: unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(of, name);
  Object.defineProperty(of, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (descriptor === undefined) delete of[name];
    else Object.defineProperty(of, name, descriptor);
  };
}

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A script of this folder in a process of its own. */
export interface ScriptProcess {
  readonly pid: number;
  /** The next line it writes; `undefined` when it has ended. What it writes to standard error comes with ours. */
  line(): Promise<string | undefined>;
  say(line: string): void;
  /** Ends it with SIGKILL, if it still runs, and waits until it is gone. */
  kill(): Promise<void>;
  /** Waits for its own end and gives the exit code. */
  end(): Promise<number | null>;
}

export function startScript(name: string, ...args: string[]): ScriptProcess {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [file, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "exit");
  return {
    pid: child.pid as number,
    line: async () => {
      const { value, done } = await lines.next();
      return done === true ? undefined : value;
    },
    say: (line) => void child.stdin.write(`${line}\n`),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    end: async () => {
      child.stdin.end();
      await ended;
      return child.exitCode;
    },
  };
}

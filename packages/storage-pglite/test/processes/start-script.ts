import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A script of this folder in a separate process. */
export interface ScriptProcess {
  readonly pid: number;
  /** The next output line; `undefined` after the end. Its standard error is passed through. */
  line(): Promise<string | undefined>;
  say(line: string): void;
  /** Kills it with SIGKILL if it is running, and waits for its end. */
  kill(): Promise<void>;
  /** Waits for its exit and returns the exit code. */
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

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tuned, tuningOf } from "../test-environment.ts";

/** A server with other figures, without the signals of the command line. `file`: the configuration file. */
export function tunedServer(
  figures: Parameters<typeof tuned>[0],
  environment: Readonly<Record<string, string>>,
  cwd: string,
  file?: string,
): ServerProcess {
  const words = [JSON.stringify(tuningOf(tuned(figures))), ...(file === undefined ? [] : [file])];
  return new ServerProcess(words, environment, cwd, "", fileURLToPath(new URL("tuned-server.mjs", import.meta.url)));
}

const main = fileURLToPath(new URL("../../dist/package/dist/main.js", import.meta.url));

/** The built command line of administrators. `ServerProcess` runs it as the operator with `--local`. */
export const operatorProgram = fileURLToPath(new URL("../../../cli/dist/main.js", import.meta.url));

/** As for the workers of the run: the start of an embedded engine takes half the time without the optimizing compiler. */
const engineOptions = ["--liftoff-only"];

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built server program, run with these arguments and only the path of this process's environment. */
export class ServerProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>;
  private stdout = "";
  private stderr = "";
  private readonly waiting = new Set<() => void>();

  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    cwd: string,
    input?: string,
    program = main,
  ) {
    const env = { PATH: process.env["PATH"], ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1", ...environment };
    this.child = spawn(process.execPath, [...engineOptions, program, ...args], { env, cwd, stdio: "pipe" });
    this.child.stdin?.end(input ?? "");
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      for (const look of this.waiting) look();
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
        for (const look of this.waiting) look();
      });
    });
  }

  /** The first log line with this message. */
  async logged(message: string): Promise<Record<string, unknown>> {
    const found = () => this.lines().find(({ msg }) => msg === message);
    return new Promise((resolve, reject) => {
      const look = () => {
        const line = found();
        if (line === undefined && this.child.exitCode === null) return;
        this.waiting.delete(look);
        if (line !== undefined) resolve(line);
        else reject(new Error(`It ended without "${message}": ${this.stdout}${this.stderr}`));
      };
      this.waiting.add(look);
      look();
    });
  }

  /** The log so far. */
  lines(): Record<string, unknown>[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf("\n") + 1);
    return whole
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  }

  /** The address of the server. */
  async url(): Promise<string> {
    return String((await this.logged("Listening"))["address"]);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Ends the process in any case. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Answer, Given, ProbeRequest, ProbeResponse, Question } from "./probe.ts";

interface ProgramStart {
  /** Path of the program's entry. */
  readonly entry: string;
  readonly arguments: readonly string[];
  /** Answered by the program, with whatever status, as soon as it takes requests. */
  readonly readyAddress: string;
}

const probeFile = fileURLToPath(new URL("probe.js", import.meta.url));
const waitTimeout = 30_000;
/** Nothing of what configures the product; both sides run as in production. */
export const environment = {
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TMPDIR: process.env["TMPDIR"],
  NODE_ENV: "production",
};
const alive = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** A Node program in a process of its own, with the probe inside. */
export class MeasuredProcess {
  private readonly pending = new Map<
    number,
    { resolve: (answer: Answer<Question>) => void; reject: (error: Error) => void }
  >();
  private questions = 0;
  private printed = "";

  private constructor(private readonly child: ChildProcess) {
    alive.add(child);
    child.once("exit", () => {
      alive.delete(child);
      for (const { reject } of this.pending.values()) reject(this.endedEarly());
    });
    child.on("message", ({ probe: number, answer }: ProbeResponse) => {
      this.pending.get(number)?.resolve(answer);
      this.pending.delete(number);
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.printed = (this.printed + chunk.toString()).slice(-4_000)));
    }
  }

  /** Resolves when the program takes requests; fails with what it printed if it ends before. */
  static async start({ entry, arguments: given, readyAddress }: ProgramStart): Promise<MeasuredProcess> {
    const child = spawn(process.execPath, ["--import", probeFile, entry, ...given], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const measured = new MeasuredProcess(child);
    const ready = await pollUntil(async () => {
      if (measured.hasEnded) throw measured.endedEarly();
      return fetch(readyAddress)
        .then((response) => response.arrayBuffer())
        .then(
          () => true,
          () => false,
        );
    }, waitTimeout);
    if (!ready) {
      await measured.stop();
      throw new Error(`${entry} does not answer on ${readyAddress}:\n${measured.printed}`);
    }
    return measured;
  }

  async ask<Asked extends Question>(question: Asked, ...given: Given<Asked>): Promise<Answer<Asked>> {
    if (this.hasEnded) throw this.endedEarly();
    this.questions += 1;
    const probe = this.questions;
    const answered = new Promise<Answer<Question>>((resolve, reject) => {
      this.pending.set(probe, { resolve, reject });
    });
    this.child.send({ probe, question, given } satisfies ProbeRequest);
    return answered as Promise<Answer<Asked>>;
  }

  /** Asks the program to end, and kills it if it does not within five seconds. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    const last = setTimeout(() => this.child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(last);
  }

  private endedEarly(): Error {
    const { exitCode, signalCode, spawnargs } = this.child;
    return new Error(`${spawnargs.slice(1).join(" ")} ended early (${exitCode ?? signalCode}):\n${this.printed}`);
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

/** A TCP port of 127.0.0.1 on which nobody listens at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const interval = 10;

/** Asks again and again until the answer is yes (`true`), or until so many milliseconds have passed (`false`). */
export async function pollUntil(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (await condition()) return true;
    await pause(interval);
  }
  return false;
}

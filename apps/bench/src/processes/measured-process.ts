import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { environment } from "./environment.ts";
import { pollUntil } from "./poll-until.ts";
import type { Answer, ProbeArguments, ProbeQuestion, ProbeRequest, ProbeResponse } from "./probe.ts";

interface ProgramStart {
  /** Path of the program's main file. */
  readonly mainFile: string;
  readonly arguments: readonly string[];
  /** URL that answers with any status when the program accepts requests. */
  readonly readyAddress: string;
}

const probeFile = fileURLToPath(new URL("probe.js", import.meta.url));
/** Milliseconds. */
const waitTimeout = 120_000;
const alive = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** A Node program in its own process, with the probe loaded. */
export class MeasuredProcess {
  private readonly pending = new Map<
    number,
    { resolve: (answer: Answer<ProbeQuestion>) => void; reject: (error: Error) => void }
  >();
  private questions = 0;
  private printed = "";

  private constructor(private readonly child: ChildProcess) {
    alive.add(child);
    child.once("exit", () => {
      alive.delete(child);
      for (const { reject } of this.pending.values()) reject(this.endError());
    });
    child.on("message", ({ probe: id, answer }: ProbeResponse) => {
      this.pending.get(id)?.resolve(answer);
      this.pending.delete(id);
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.printed = (this.printed + chunk.toString()).slice(-4_000)));
    }
  }

  /** Resolves when the program accepts requests. Rejects with its output if it exits earlier. */
  static async start({ mainFile, arguments: args, readyAddress }: ProgramStart): Promise<MeasuredProcess> {
    const child = spawn(process.execPath, ["--import", probeFile, mainFile, ...args], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const measured = new MeasuredProcess(child);
    const ready = await pollUntil(async () => {
      if (measured.hasEnded) throw measured.endError();
      // A program that accepts and never answers must not outlast the wait.
      return fetch(readyAddress, { signal: AbortSignal.timeout(waitTimeout) })
        .then((response) => response.arrayBuffer())
        .then(
          () => true,
          () => false,
        );
    }, waitTimeout);
    if (!ready) {
      await measured.stop();
      throw new Error(`${mainFile} does not answer on ${readyAddress}:\n${measured.printed}`);
    }
    return measured;
  }

  async ask<Asked extends ProbeQuestion>(question: Asked, ...args: ProbeArguments<Asked>): Promise<Answer<Asked>> {
    if (this.hasEnded) throw this.endError();
    this.questions += 1;
    const id = this.questions;
    const answered = new Promise<Answer<ProbeQuestion>>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
    });
    this.child.send({ probe: id, question, args } satisfies ProbeRequest);
    return answered as Promise<Answer<Asked>>;
  }

  /** Sends SIGTERM, then SIGKILL after five seconds. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    const last = setTimeout(() => this.child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(last);
  }

  private endError(): Error {
    const { exitCode, signalCode, spawnargs } = this.child;
    return new Error(`${spawnargs.slice(1).join(" ")} ended early (${exitCode ?? signalCode}):\n${this.printed}`);
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}

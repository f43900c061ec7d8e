import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { LoadFigures, LoadJob } from "./load-job.ts";

type Reply = { figures: LoadFigures } | { error: string };

const entry = fileURLToPath(new URL("load-process.js", import.meta.url));

/** Milliseconds beyond the planned time; hashes on a busy machine take long. */
const patience = 60_000;

/** Makes load from a process of its own, one job at a time. */
export class LoadGenerator {
  private readonly child: ChildProcess = fork(entry);

  async run(job: LoadJob): Promise<LoadFigures> {
    const bound = AbortSignal.timeout(job.seconds * 1000 + patience);
    const answered = once(this.child, "message", { signal: bound });
    this.child.send(job);
    const [reply] = (await answered.catch((cause: unknown) => {
      throw new Error(`The load on ${job.address} did not end.`, { cause });
    })) as [Reply];
    if ("error" in reply) throw new Error(`The load failed: ${reply.error}`);
    return reply.figures;
  }

  close(): void {
    this.child.kill("SIGKILL");
  }
}

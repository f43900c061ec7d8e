import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** One request of the load. */
export interface LoadRequest {
  readonly method: "GET" | "PATCH" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent with `If-Match` and the `ETag` of the answer that this connection had last. */
  readonly conditional?: true;
}

/** Sends a request once, for its answer. */
export function send(address: string, { method, path, headers, body }: LoadRequest): Promise<Response> {
  return fetch(address + path, { method, headers, body: body ?? null });
}

/** Load on one server. */
export interface LoadJob {
  /** `http://host:port`. */
  readonly address: string;
  readonly connections: number;
  /** Rounded up to whole seconds. */
  readonly seconds: number;
  /**
   * Ends the load after so many answers instead. Where a request waits long for its turn, the ones that the end of the
   * time cuts off would be work done for nothing, and the next contestant would find the server still at it.
   */
  readonly answers?: number;
  /** Every connection sends all of them in turn, each beginning at another one. */
  readonly requests: readonly LoadRequest[];
  /** Every connection keeps to the request that it begins at, so that nobody else changes what that one changes. */
  readonly apart?: boolean;
  /** Each request is good once: every connection has as many of its own, and the load ends when all are answered. */
  readonly once?: boolean;
}

/** What a job gave. */
export interface LoadFigures {
  /** Answers with a status of 200 to 299. */
  readonly succeeded: number;
  /** Other answers, broken connections and time-outs. */
  readonly failed: number;
  /** To the last answer. */
  readonly seconds: number;
  /** Milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number };
}

type Reply = { figures: LoadFigures } | { error: string };

const entry = fileURLToPath(new URL("load-process.js", import.meta.url));

/** Milliseconds beyond the planned time; hashes on a busy machine take long. */
const waitTimeout = 60_000;

/** Makes load from a process of its own, one job at a time. */
export class LoadGenerator {
  private readonly child: ChildProcess = fork(entry);

  async run(job: LoadJob): Promise<LoadFigures> {
    const bound = AbortSignal.timeout(job.seconds * 1000 + waitTimeout);
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

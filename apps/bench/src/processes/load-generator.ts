import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface LoadRequest {
  readonly method: "GET" | "PATCH" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends `If-Match` with the `ETag` of the previous answer on this connection. */
  readonly conditional?: true;
}

export function send(address: string, { method, path, headers, body }: LoadRequest): Promise<Response> {
  return fetch(address + path, { method, headers, body: body ?? null });
}

export interface LoadJob {
  /** `http://host:port`. */
  readonly address: string;
  readonly connections: number;
  /** Rounded up to whole seconds. */
  readonly seconds: number;
  /**
   * Ends the load after this many answers instead of after `seconds`. With a time limit, slow requests are cut off in
   * the middle, and the server still works on them when the next candidate starts.
   */
  readonly answers?: number;
  /** Every connection cycles through all requests, each from a different start. */
  readonly requests: readonly LoadRequest[];
  /** Every connection repeats one request, so that no other connection changes the same object. */
  readonly apart?: boolean;
  /** Every request is sent once, split over the connections. The load ends with the last answer. */
  readonly once?: boolean;
}

export interface LoadFigures {
  /** Answers with a 2xx status. */
  readonly succeeded: number;
  /** Other answers, broken connections and timeouts. */
  readonly failed: number;
  /** Seconds until the last answer. */
  readonly seconds: number;
  /** Milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number };
}

type Reply = { figures: LoadFigures } | { error: string };

const program = fileURLToPath(new URL("load-process.js", import.meta.url));

/** Milliseconds beyond the planned time: password hashes take long on a busy machine. */
const waitTimeout = 60_000;

/** Generates load from a separate process, one job at a time. */
export class LoadGenerator {
  private readonly child: ChildProcess = fork(program);

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

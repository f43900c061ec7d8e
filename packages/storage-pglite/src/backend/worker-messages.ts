/** The start settings of the database thread. */
export interface WorkerSettings {
  /** The absolute directory of the cluster; `undefined` for a database in memory. */
  readonly clusterDirectory: string | undefined;
  /** A cluster to start from in memory, a tar archive. The thread takes its memory. */
  readonly template: Uint8Array | undefined;
  /** Whether a commit waits for the disk. */
  readonly durable: boolean;
  /** Bytes of write-ahead log between checkpoints. */
  readonly checkpointBytes: number;
  /** Default `statement_timeout` in milliseconds; 0 for none. */
  readonly statementTimeout: number;
}

/** The data passed to the thread. */
export interface ThreadData extends WorkerSettings {
  /** The memory of its {@link Deadline}. */
  readonly deadline: SharedArrayBuffer;
  /** The compiled database. */
  readonly compiled: WebAssembly.Module;
}

/** Messages to the thread. Each is answered, in order. */
export type WorkerRequest =
  | { readonly kind: "exchange"; readonly bytes: Uint8Array; readonly settles: boolean }
  | { readonly kind: "refresh" }
  | { readonly kind: "dump" }
  | { readonly kind: "close" };

/** Messages from the thread. */
export type WorkerReply =
  | { readonly kind: "ready" }
  /** The answer to a request; `stopped` is set if it was the last one. */
  | { readonly kind: "answer"; readonly bytes: Uint8Array<ArrayBuffer>; readonly stopped: string | undefined }
  /** Instead of an answer: the request failed, the thread continues. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Instead of "ready": the start failed. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * The deadline of the database thread for its current request. The thread sets it when it starts the request, so that
 * queue time does not count; another thread checks it. Both use the monotonic clock of the process.
 */
export class Deadline {
  readonly #moment: BigInt64Array;

  /** @param memory the memory of another instance, to share its deadline */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#moment = new BigInt64Array(memory);
  }

  /** @param milliseconds 0 for no deadline */
  set(milliseconds: number): void {
    Atomics.store(
      this.#moment,
      0,
      milliseconds === 0 ? 0n : process.hrtime.bigint() + BigInt(milliseconds) * 1_000_000n,
    );
  }

  clear(): void {
    this.set(0);
  }

  get passed(): boolean {
    const moment = Atomics.load(this.#moment, 0);
    return moment !== 0n && process.hrtime.bigint() > moment;
  }
}

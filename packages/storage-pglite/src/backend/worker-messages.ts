/** How the thread of the database is started. */
export interface WorkerSettings {
  /** The directory of the cluster, absolute; without it the database lives in memory. */
  readonly clusterDirectory: string | undefined;
  /** A dumped cluster to begin with, a tar file. */
  readonly template: Blob | undefined;
  /** Whether a commit waits until the disk has it. */
  readonly durable: boolean;
  /** Bytes of write-ahead log after which a checkpoint is made. */
  readonly checkpointBytes: number;
  /** Milliseconds; what `statement_timeout` is unless the session sets it. 0 for no end. */
  readonly statementTimeout: number;
}

/** What the thread is given. */
export interface ThreadData extends WorkerSettings {
  /** Of its {@link Deadline}. */
  readonly deadline: SharedArrayBuffer;
}

/** To the thread. Each is answered, in order. */
export type WorkerRequest =
  | { readonly kind: "exchange"; readonly bytes: Uint8Array; readonly settles: boolean }
  | { readonly kind: "refresh" }
  | { readonly kind: "dump" }
  | { readonly kind: "close" };

/** From the thread. */
export type WorkerReply =
  | { readonly kind: "ready" }
  /** The answer to a request; `stopped` says that it was the last. */
  | { readonly kind: "answer"; readonly bytes: Uint8Array<ArrayBuffer>; readonly stopped: string | undefined }
  /** In place of the answer: the request came to nothing, the thread goes on. */
  | { readonly kind: "failed"; readonly reason: string }
  /** In place of "ready": it could not start. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Until when the thread of the database may work on what it was given: told by the thread when it begins, so that what waits
 * behind something else is not counted, and looked at from beside it. Both read the one monotonic clock of the process.
 */
export class Deadline {
  readonly #moment: BigInt64Array;

  /** @param memory of another's deadline, to see the same */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#moment = new BigInt64Array(memory);
  }

  /** @param milliseconds 0 for as long as it takes */
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

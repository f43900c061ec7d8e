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

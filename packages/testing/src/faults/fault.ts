import { type ErrorCode, RefusedByStorageError, ServiceError } from "@sallyport/storage";

/** The message of every driver error. A client answer that contains it leaks driver details. */
export const driverText = "insert into \"secrets\" values ('open sesame'); <b>at node_modules/driver</b>";

/** A driver error with details that no client may see. */
export class DriverError extends Error {
  override readonly name = "DriverError";

  constructor(
    /** An error code in the style of an SQLSTATE. */
    readonly code: string,
  ) {
    super(`${code}: ${driverText}`);
  }
}

/** Blocks a slow call until it is opened, without a clock. */
export class Latch {
  /** Resolves when a call waits here. */
  readonly reached: Promise<void>;
  private readonly opened: Promise<void>;
  private arrive = () => {};
  private letThrough = () => {};

  constructor() {
    this.reached = new Promise((resolve) => {
      this.arrive = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.letThrough = resolve;
    });
  }

  /** Releases all current and future calls. */
  open(): void {
    this.letThrough();
  }

  pass(): Promise<void> {
    this.arrive();
    return this.opened;
  }
}

/** The effect of a fault on a call. */
export type Fault =
  /** The call fails without effect. */
  | { readonly kind: "refusal"; readonly error: () => unknown }
  /**
   * The connection is lost: before the call, after its execution but before the answer, or after the answer. An open
   * transaction is rolled back. A completed commit stays.
   */
  | { readonly kind: "loss"; readonly when: "before" | "during" | "after" }
  /** The unit loses this many conflicts in a row and is retried. Three conflicts end in 706. */
  | { readonly kind: "conflict"; readonly times: number }
  /** The call fails after it has processed this many elements of its first argument. */
  | { readonly kind: "partial"; readonly elements: number }
  /** The call waits at a latch. */
  | { readonly kind: "slow"; readonly latch: Latch };

function refusal(
  code: ErrorCode,
  state: string,
  options: { readonly detail?: string; readonly retryAfter?: number } = {},
): Fault {
  return { kind: "refusal", error: () => new ServiceError(code, { ...options, cause: new DriverError(state) }) };
}

/** The faults that a script can inject, each with the error code that callers receive. */
export const faults = {
  /** 704: the connection is lost before the call. The call has no effect. */
  lostBefore: { kind: "loss", when: "before" },
  /** 704: the connection is lost before the answer arrives. A standalone call or a commit is done. */
  lostDuring: { kind: "loss", when: "during" },
  /** The call answers, then the connection is lost. The next call of the same transaction fails with 704. */
  lostAfter: { kind: "loss", when: "after" },
  /** 704: the database is unreachable. */
  unreachable: refusal(704, "ECONNREFUSED"),
  /** 607: no connection becomes free in time. */
  poolExhausted: refusal(607, "pool exhausted", { retryAfter: 1 }),
  /** 706: the database cancels a statement that takes too long. */
  timeout: refusal(706, "57014"),
  /** 706: a lock wait times out. */
  lockTimeout: refusal(706, "55P03"),
  /** 713: another session has locked the object. */
  locked: refusal(713, "SPLCK", { detail: "The object is locked by another session." }),
  /** The database refuses the call, because its disk is full: 706, or the code of what was being done. */
  diskFull: {
    kind: "refusal",
    error: () => new RefusedByStorageError("diskFull", new DriverError("53100")),
  },
  /** 799: an unexpected error. */
  unexpected: refusal(799, "XX000"),
  /** A driver error that is not translated. Adapters must never let this happen. */
  foreign: { kind: "refusal", error: () => new DriverError("XX001") },
  /** A deadlock or a serialization failure. Once and twice stay invisible; three times end in 706. */
  conflict: (times: 1 | 2 | 3): Fault => ({ kind: "conflict", times }),
  /** 799: the call fails after it has processed this many elements of its first argument. */
  partial: (elements: number): Fault => ({ kind: "partial", elements }),
  /** The call waits at the latch before it runs; in a batch, its answer waits. */
  slow: (latch: Latch): Fault => ({ kind: "slow", latch }),
} as const satisfies Readonly<Record<string, Fault | ((...args: never[]) => Fault)>>;

/** The error that callers receive for a fault. */
export function errorOf(fault: Exclude<Fault, { kind: "slow" }>): unknown {
  switch (fault.kind) {
    case "refusal":
      return fault.error();
    case "loss":
      return new ServiceError(704, { cause: new DriverError("ECONNRESET") });
    case "conflict":
      return new ServiceError(706, { cause: new DriverError("40001") });
    case "partial":
      return new ServiceError(799, { cause: new DriverError("XX000") });
  }
}

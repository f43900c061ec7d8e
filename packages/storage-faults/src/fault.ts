import { type ErrorCode, ServiceError } from "@sallyport/core";

/** Stands in the message of every driver's error: whoever finds it in an answer has found a leak. */
export const driverText = "insert into \"secrets\" values ('open sesame'); <b>at node_modules/driver</b>";

/** The error of a driver, with all that no client may see. */
export class DriverError extends Error {
  override readonly name = "DriverError";

  constructor(
    /** What happened, in the manner of an SQLSTATE. */
    readonly code: string,
  ) {
    super(`${code}: ${driverText}`);
  }
}

/** Where a slow call waits until it is let through; no clock is involved. */
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

  /** Lets those through who wait, and all who come later. */
  open(): void {
    this.letThrough();
  }

  pass(): Promise<void> {
    this.arrive();
    return this.opened;
  }
}

/** What happens to a call. */
export type Fault =
  /** The call is refused and does nothing; in a transaction nothing of that is kept. */
  | { readonly kind: "refusal"; readonly error: () => unknown }
  /**
   * The connection goes: before the storage has the call, when it has done it and not answered, or when it has answered. A
   * transaction that is open then is taken back; a commit that has been done stays.
   */
  | { readonly kind: "loss"; readonly when: "before" | "during" | "after" }
  /** The unit that the call belongs to loses against another one, so many times in a row, and runs again; three times are 706. */
  | { readonly kind: "conflict"; readonly times: number }
  /** Of the elements of the first argument the first ones are done when the call fails. */
  | { readonly kind: "partial"; readonly elements: number }
  /** The call waits at a gate. */
  | { readonly kind: "slow"; readonly latch: Latch };

function refusal(
  code: ErrorCode,
  state: string,
  options: { readonly detail?: string; readonly retryAfter?: number } = {},
): Fault {
  return { kind: "refusal", error: () => new ServiceError(code, { ...options, cause: new DriverError(state) }) };
}

/** The faults that a script can ask for, each with the code of the catalogue by which callers know it. */
export const faults = {
  /** 704: the connection is lost before the call. Nothing was done. */
  lostBefore: { kind: "loss", when: "before" },
  /** 704: the connection is lost while the answer is awaited. What the call did by itself, or as a commit, is done. */
  lostDuring: { kind: "loss", when: "during" },
  /** The call answers, and then the connection is lost: what comes next in the same transaction is 704. */
  lostAfter: { kind: "loss", when: "after" },
  /** 704: there is no database. */
  unreachable: refusal(704, "ECONNREFUSED"),
  /** 607: no connection becomes free in time. */
  poolExhausted: refusal(607, "pool exhausted", { retryAfter: 1 }),
  /** 706: the database ends a statement that takes too long. */
  timeout: refusal(706, "57014"),
  /** 706: a lock is not given free in time. */
  lockTimeout: refusal(706, "55P03"),
  /** 713: another session has locked the object. */
  locked: refusal(713, "SPLCK", { detail: "The object is locked by another session." }),
  /** 799: what nobody expects. */
  unexpected: refusal(799, "XX000"),
  /** What an adapter may not do: the driver's own error comes out as it is. */
  foreign: { kind: "refusal", error: () => new DriverError("XX001") },
  /** A deadlock or a serialization failure. Once and twice pass unnoticed; 706 the third time. */
  conflict: (times: 1 | 2 | 3): Fault => ({ kind: "conflict", times }),
  /** 799: the call fails when it is done with so many elements of its first argument. */
  partial: (elements: number): Fault => ({ kind: "partial", elements }),
  /** The call waits at the gate before it is done; in `together`, after. */
  slow: (latch: Latch): Fault => ({ kind: "slow", latch }),
} as const satisfies Readonly<Record<string, Fault | ((...given: never[]) => Fault)>>;

/** The error by which callers learn of a fault. */
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

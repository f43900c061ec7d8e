import { SallyportError, TransportError } from "../errors.ts";

export interface RetryOptions {
  /**
   * Failed attempts in a row after which a transfer fails; each acknowledged or received byte starts the count again.
   * Default: 10, which takes about a minute if the server cannot be reached.
   */
  readonly retries?: number | undefined;
  /** Aborts the transfer, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

const usualRetries = 10;
/** Milliseconds before the second attempt, at most. It doubles with each further one. */
const firstPause = 200;
const longestPause = 30_000;

/** Failures of the server that the same request meets again. */
const lasting: ReadonlySet<number> = new Set([314, 705, 708, 710, 713, 718]);
/** Refusals that pass: another request, often the own broken one, still writes the upload, or the body was cut. */
const passing: ReadonlySet<number> = new Set([605, 606, 699, 800]);

/** Whether another attempt can succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return error.reason !== "changed" && error.reason !== "damaged";
  if (!(error instanceof SallyportError)) return false;
  return passing.has(error.code) || (error.httpStatus >= 500 && !lasting.has(error.code));
}

/** Codes of Node for connections that were never open. Browsers do not tell. */
const unconnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Whether the failed request has certainly changed nothing: the server tells, or no connection was open. `trusts`: whether
 * headers of answers count.
 */
export function isUnexecuted(error: unknown, trusts: boolean): boolean {
  if (error instanceof SallyportError) return trusts && error.notExecuted;
  if (!(error instanceof TransportError) || error.reason !== "unreachable") return false;
  // `fetch` has the failure of the connection as the cause of its own.
  const { cause } = error as {
    readonly cause?: { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  };
  return unconnected.has(cause?.code) || unconnected.has(cause?.cause?.code);
}

/** Throws a `RangeError` for an invalid number of repetitions. */
export function checkRetries(retries: number): void {
  if (!(retries >= 0)) throw new RangeError("`retries` must be at least 0.");
}

/** When to repeat, in addition to `RetryOptions`. */
interface RetryRules {
  /** Whether another attempt can succeed and does no harm. Default: `isTransient`. */
  readonly isRepeatable?: (error: unknown) => boolean;
  /** `performance.now()` at which the last attempt must begin. Default: never. */
  readonly end?: number;
}

/** Repeats attempts, with growing pauses of random length. */
export class Retries {
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  readonly #rules: Required<RetryRules>;
  #failures = 0;

  /** Throws a `RangeError` for an invalid number of repetitions. */
  constructor(
    { retries = usualRetries, signal }: RetryOptions,
    { isRepeatable = isTransient, end = Number.POSITIVE_INFINITY }: RetryRules = {},
  ) {
    checkRetries(retries);
    this.#limit = retries;
    this.#signal = signal;
    this.#rules = { isRepeatable, end };
  }

  /** The transfer has got on. */
  reset(): void {
    this.#failures = 0;
  }

  /** Waits before the next attempt. Throws the error if there must be no other attempt, or after too many. */
  async after(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    if (!this.#rules.isRepeatable(error) || this.#failures >= this.#limit) throw error;
    const longest = Math.min(longestPause, firstPause * 2 ** this.#failures);
    this.#failures += 1;
    const leastWait = error instanceof SallyportError ? (error.retryAfter ?? 0) * 1_000 : 0;
    const wait = Math.max(leastWait, Math.random() * longest);
    if (performance.now() + wait >= this.#rules.end) throw error;
    await pause(wait, this.#signal);
  }

  /** Repeats an attempt until it succeeds. */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        await this.after(error);
      }
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

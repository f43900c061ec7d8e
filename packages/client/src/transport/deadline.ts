import { TransportError } from "../errors.ts";

/** Limits of a call. */
export interface CallLimits {
  /** Milliseconds for the whole call, including a renewed log-in; 0 for no limit. */
  readonly timeout?: number | undefined;
  /** Cancels the call, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum delay of a timer. */
const maxTimeout = 2 ** 31 - 1;

/** Throws a `RangeError` for an invalid time limit. */
export function checkTimeout(timeout: number): void {
  if (!(timeout >= 0 && timeout <= maxTimeout))
    throw new RangeError("A timeout must be an integer from 0 to 2147483647 (milliseconds).");
}

/** Runs `work` within the limits. When one is reached, its signal aborts and the call rejects at once. */
export async function withinLimits<T>(
  { timeout = 0, signal }: CallLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  checkTimeout(timeout);
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = timeout > 0 ? setTimeout(() => controller.abort(new TransportError("timeout")), timeout) : undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([work(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

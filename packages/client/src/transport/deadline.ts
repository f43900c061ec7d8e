import { TransportError } from "../errors.ts";

/** How long a call may take. */
export interface CallLimits {
  /** Milliseconds for everything that the call needs, a renewed log-in included; 0 for no limit. */
  readonly timeout?: number | undefined;
  /** Ends the call early; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Timers take no longer time. */
const longest = 2 ** 31 - 1;

/** Throws a `RangeError` for what is no time. */
export function checkTimeout(timeout: number): void {
  if (!(timeout >= 0 && timeout <= longest))
    throw new RangeError("A time-out is a number of milliseconds from 0 to 2147483647.");
}

/** Does work within limits. When it may not go on, its signal tells, and the result is an error at once. */
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

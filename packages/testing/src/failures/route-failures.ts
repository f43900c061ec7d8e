import type { TestServer } from "@sallyport/server/testing";
import { type Duration, millisecondsOf } from "../clock/duration.ts";

/** Parts of a failure that its response shows. */
export interface FailureParts {
  /** `debugMessage`, if the service shows it. */
  readonly detail?: string;
  /** Seconds, for `Retry-After`. */
  readonly retryAfter?: number;
  readonly notice?: string;
}

/** Fails requests of one route. */
export interface RouteFailures {
  /** Sets the code of the catalogue. */
  with(code: number, parts?: FailureParts): PlannedFailure;
  /** Delays the work of the request. The clock of the service can shorten the wait. */
  delay(duration: Duration): PlannedFailure;
  /** Closes the connection without a response: before the work of the request, or after it. */
  drop(when: "before" | "after"): PlannedFailure;
  /** Removes the planned failures of the route. */
  clear(): void;
}

/** Plans how many of the next requests fail. Throws a `TypeError` for an invalid failure. */
export interface PlannedFailure {
  once(): void;
  times(count: number): void;
  always(): void;
}

/** Plans failures of a route of a service in this process. */
export function failuresOf({ failures }: Pick<TestServer, "failures">, route: string): RouteFailures {
  const planned = (fault: Parameters<typeof failures.add>[1]): PlannedFailure => {
    const add = (times: number) => failures.add(route, fault, times);
    return { once: () => add(1), times: add, always: () => add(Number.POSITIVE_INFINITY) };
  };
  return {
    with: (code, parts = {}) => planned({ code, options: parts }),
    delay: (duration) => planned({ delay: millisecondsOf(duration) }),
    drop: (when) => planned({ drop: when }),
    clear: () => failures.clear(route),
  };
}

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
  /** Removes the planned failures of the route. */
  clear(): void;
}

/** How many of the next requests fail. */
export interface PlannedFailure {
  once(): void;
  times(count: number): void;
  always(): void;
}

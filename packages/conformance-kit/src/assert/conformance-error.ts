/** The expected and the actual value of a failed comparison, as text. */
export interface Comparison {
  /** The name of the compared value. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
}

/** The adapter violates the contract. */
export class ConformanceError extends Error {
  override readonly name = "ConformanceError";
  /** `null` if the check compared nothing. */
  readonly comparison: Comparison | null;

  constructor(failure: string | Comparison, options?: ErrorOptions) {
    super(
      typeof failure === "string" ? failure : `${failure.what}: expected ${failure.expected}, got ${failure.got}.`,
      options,
    );
    this.comparison = typeof failure === "string" ? null : failure;
  }
}

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

  constructor(found: string | Comparison, options?: ErrorOptions) {
    super(typeof found === "string" ? found : `${found.what}: expected ${found.expected}, got ${found.got}.`, options);
    this.comparison = typeof found === "string" ? null : found;
  }
}

/** What was to come of something, and what came, as texts. */
export interface Comparison {
  /** What was looked at. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
}

/** An adapter does not do what the contract says. */
export class ConformanceError extends Error {
  override readonly name = "ConformanceError";
  /** `null` where nothing was compared. */
  readonly comparison: Comparison | null;

  constructor(found: string | Comparison, options?: ErrorOptions) {
    super(typeof found === "string" ? found : `${found.what}: expected ${found.expected}, got ${found.got}.`, options);
    this.comparison = typeof found === "string" ? null : found;
  }
}

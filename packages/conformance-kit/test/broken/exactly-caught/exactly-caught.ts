/** A fault, and all checks of the given sections that fail because of it. */
export interface ExactlyCaught {
  readonly fault: string;
  readonly sections: readonly string[];
  readonly checks: readonly string[];
}

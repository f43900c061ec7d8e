/** A fault that adapters are known for, and all checks of its sections that it breaks. */
export interface ExactlyCaught {
  readonly fault: string;
  readonly sections: readonly string[];
  readonly checks: readonly string[];
}

import type { Answers, Scenario } from "./scenario.ts";

/** Something that an adapter does otherwise than the reference. */
export interface Difference {
  readonly reference: string;
  readonly adapter: string;
  /** With which it was found, and is found again. */
  readonly seed: number;
  /** The smallest one that was found. */
  readonly scenario: Scenario;
  /** What comes of it with the reference, and with the adapter. */
  readonly expected: Answers;
  readonly actual: Answers;
}

import type { SecondFactorRule } from "../second-factors/second-factor.ts";

/** A name that log-ins can carry in `appNames`. */
export interface Application {
  readonly name: string;
  /** How many log-ins may hold a seat at once; `null` means any number. */
  readonly seats: number | null;
  /** What a log-in with this name asks of a second factor. */
  readonly secondFactor: SecondFactorRule;
}

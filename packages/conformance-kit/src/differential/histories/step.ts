import type { JsonValue } from "@sallyport/core";

/** What an object is given: a text, an object that it points to, and several; objects by their names. */
export interface GivenAttributes {
  readonly [name: string]: JsonValue;
  readonly Text?: string | null;
  readonly Thing?: string | null;
  readonly Things?: readonly string[];
}

/** A step that can be taken within a transaction. Objects and sessions are named by their numbers, in the order in which they were to be created. */
export type WritingStep =
  | { readonly kind: "insert"; readonly attributes: GivenAttributes; readonly readers: readonly string[] | null }
  | {
      readonly kind: "update";
      readonly object: number;
      readonly attributes: GivenAttributes;
      readonly versions: readonly number[] | null;
      readonly session: number | null;
    }
  | { readonly kind: "delete"; readonly objects: readonly number[]; readonly recycled: boolean }
  | { readonly kind: "restore"; readonly object: number }
  | { readonly kind: "lock"; readonly object: number; readonly session: number; readonly atMost: number }
  | { readonly kind: "unlock"; readonly object: number; readonly session: number | null }
  | {
      readonly kind: "open";
      readonly user: string;
      readonly device: string | null;
      readonly limit: number;
      readonly perUserLimit: number;
      readonly perDevice: number;
    }
  | { readonly kind: "end"; readonly session: number }
  | { readonly kind: "endAll"; readonly user: string };

/** A step of a history. */
export type Step =
  | WritingStep
  /** What was wanted of a transaction that throws in the end is taken back. */
  | { readonly kind: "transaction"; readonly steps: readonly WritingStep[]; readonly takenBack: boolean }
  /** Time passes. */
  | { readonly kind: "wait"; readonly minutes: number }
  /** What is over is swept away. */
  | { readonly kind: "sweep" };

/** Steps that are taken one after the other in an empty storage. */
export interface HistoryScenario {
  readonly kind: "history";
  readonly steps: readonly Step[];
}

/** What comes of a history. Objects and sessions are named as in its steps. */
export interface HistoryOutcome {
  /** What each step answers: the code of a refusal, or what was written. */
  readonly answers: readonly unknown[];
  /** What is there in the end. */
  readonly end: unknown;
}

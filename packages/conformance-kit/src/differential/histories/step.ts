import type { JsonValue } from "@sallyport/storage";

/** Above the number of objects, sessions and links in any history. */
export const maxResults = 1_000;

/** The attributes of an object: a text, a reference and a collection. References are object names. */
export interface InputAttributes {
  readonly [name: string]: JsonValue;
  readonly Text?: string | null;
  readonly Thing?: string | null;
  readonly Things?: readonly string[];
}

/** A step allowed within a transaction. Objects and sessions are numbered by order of creation. */
export type WritingStep =
  | { readonly kind: "insert"; readonly attributes: InputAttributes; readonly readers: readonly string[] | null }
  | {
      readonly kind: "update";
      readonly object: number;
      readonly attributes: InputAttributes;
      readonly versions: readonly number[] | null;
      readonly session: number | null;
      /** New readers; `undefined` for no change. */
      readonly readers: readonly string[] | null | undefined;
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

export type Step =
  | WritingStep
  /** With `rolledBack`, the transaction throws at its end and is rolled back. */
  | { readonly kind: "transaction"; readonly steps: readonly WritingStep[]; readonly rolledBack: boolean }
  /** Advances the clock. */
  | { readonly kind: "wait"; readonly minutes: number }
  /** Sweeps expired locks and sessions. */
  | { readonly kind: "sweep" }
  /** Sweeps tombstones and readers of before, from an age on. */
  | { readonly kind: "forget"; readonly minutes: number };

/** Steps that run in order on an empty storage. */
export interface HistoryScenario {
  readonly kind: "history";
  readonly steps: readonly Step[];
}

/** The outcome of a history. Objects and sessions have the names from its steps. */
export interface HistoryOutcome {
  /** The answer of each step: an error code, or the written data. */
  readonly answers: readonly unknown[];
  /** The visible state at the end. */
  readonly end: unknown;
}

/** Maps every step, including those within transactions. Drops transactions that become empty. */
export function eachStep(steps: readonly Step[], change: (step: Step) => Step[]): Step[] {
  return steps.flatMap((step) => {
    if (step.kind !== "transaction") return change(step);
    const inner = step.steps.flatMap(change) as WritingStep[];
    return inner.length === 0 ? [] : [{ ...step, steps: inner }];
  });
}

/** Maps objects and sessions to new numbers; `undefined` if removed. */
export interface Numbering {
  readonly object: (number: number) => number | undefined;
  readonly session: (number: number) => number | undefined;
  readonly attributes: (input: InputAttributes) => InputAttributes;
}

/** Renumbers a step. Returns no step if its target was removed. */
export function renumbered(step: Step, { object: objectOf, session: sessionOf, attributes }: Numbering): Step[] {
  switch (step.kind) {
    case "insert":
      return [{ ...step, attributes: attributes(step.attributes) }];
    case "update":
    case "unlock": {
      const object = objectOf(step.object);
      if (object === undefined) return [];
      const session = step.session === null ? null : (sessionOf(step.session) ?? null);
      if (step.kind === "unlock") return [{ ...step, object, session }];
      return [{ ...step, object, session, attributes: attributes(step.attributes) }];
    }
    case "delete": {
      const objects = [...new Set(step.objects.flatMap((number) => objectOf(number) ?? []))];
      return objects.length === 0 ? [] : [{ ...step, objects }];
    }
    case "restore": {
      const object = objectOf(step.object);
      return object === undefined ? [] : [{ ...step, object }];
    }
    case "lock": {
      const [object, session] = [objectOf(step.object), sessionOf(step.session)];
      return object === undefined || session === undefined ? [] : [{ ...step, object, session }];
    }
    case "end": {
      const session = sessionOf(step.session);
      return session === undefined ? [] : [{ ...step, session }];
    }
    default:
      return [step];
  }
}

import type { JsonValue } from "@sallyport/core";

/** More objects, sessions and links than a history creates. */
export const most = 1_000;

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

/** The steps with each of them changed, those within transactions, too; a transaction of which none is left goes. */
export function eachStep(steps: readonly Step[], change: (step: Step) => Step[]): Step[] {
  return steps.flatMap((step) => {
    if (step.kind !== "transaction") return change(step);
    const inner = step.steps.flatMap(change) as WritingStep[];
    return inner.length === 0 ? [] : [{ ...step, steps: inner }];
  });
}

/** Other numbers for objects and sessions; `undefined` for one that there is not. */
export interface Numbering {
  readonly object: (number: number) => number | undefined;
  readonly session: (number: number) => number | undefined;
  readonly attributes: (given: GivenAttributes) => GivenAttributes;
}

/** The step with other numbers, and none where what it is about is not there. */
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

import fc from "fast-check";
import { nameOf } from "../object-names.ts";
import { eachStep, type InputAttributes, type HistoryScenario, renumbered } from "./step.ts";
import type { Step, WritingStep } from "./step.ts";

// Prefers low numbers, so that several steps use the same object.
const any = fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: fc.nat({ max: 99 }) });
const users = fc.constantFrom("USER1", "USER2");
const limits = fc.constantFrom(0, 0, 0, 0, 1, 2, 3);
const session = fc.option(any, { freq: 2 });

const attributes = fc.record(
  {
    Text: fc.constantFrom("a", "b", "", null),
    Thing: fc.option(any.map(String), { freq: 1 }),
    Things: fc.array(any.map(String), { maxLength: 2 }),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<InputAttributes>;

type StepOf<Kind> = Extract<Step, { readonly kind: Kind }>;

/** A step of this kind with its relative frequency. */
function weighted<Kind extends Step["kind"]>(
  weight: number,
  kind: Kind,
  members: { readonly [Name in keyof Omit<StepOf<Kind>, "kind">]: fc.Arbitrary<StepOf<Kind>[Name]> },
) {
  const arbitrary = fc.record({ kind: fc.constant(kind), ...members }) as unknown as fc.Arbitrary<StepOf<Kind>>;
  return { weight, arbitrary };
}

const writing: fc.Arbitrary<WritingStep> = fc.oneof(
  weighted(5, "insert", { attributes, readers: fc.constantFrom(null, null, ["READER"]) }),
  weighted(4, "update", {
    object: any,
    attributes,
    versions: fc.constantFrom(null, null, [1], [2], [1, 2, 3]),
    session,
    readers: fc.constantFrom(undefined, undefined, null, [], ["READER"], ["OTHER"], ["READER", "OTHER"]),
  }),
  weighted(2, "delete", { objects: fc.array(any, { minLength: 1, maxLength: 3 }), recycled: fc.boolean() }),
  weighted(2, "restore", { object: any }),
  weighted(3, "lock", { object: any, session: any, atMost: limits }),
  weighted(2, "unlock", { object: any, session }),
  weighted(4, "open", {
    user: users,
    device: fc.constantFrom(null, "tablet"),
    limit: limits,
    perUserLimit: limits,
    perDevice: fc.constantFrom(1, 2, 5),
  }),
  weighted(1, "end", { session: any }),
  weighted(1, "endAll", { user: users }),
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: writing },
  weighted(3, "transaction", { steps: fc.array(writing, { minLength: 1, maxLength: 4 }), rolledBack: fc.boolean() }),
  // No sum equals a session lifetime: the exact expiry would depend on less than a millisecond.
  weighted(1, "wait", { minutes: fc.constantFrom(4, 7, 13) }),
  weighted(1, "sweep", {}),
  weighted(1, "forget", { minutes: fc.constantFrom(2.5, 9.5) }),
);

/** Random histories. Every number refers to an object or a session from an earlier step. */
export function randomHistories(): fc.Arbitrary<HistoryScenario> {
  return fc
    .array(anyStep, { minLength: 1, maxLength: 30, size: "max" })
    .map((loose) => ({ kind: "history", steps: settled(loose) }));
}

/** Resolves the numbers and drops steps without a possible target. */
function settled(loose: readonly Step[]): Step[] {
  let [objects, sessions] = [0, 0];
  return eachStep(loose, (step) => {
    const [created, opened] = [objects, sessions];
    if (step.kind === "insert") objects += 1;
    if (step.kind === "open") sessions += 1;
    return renumbered(step, {
      object: (number) => (created === 0 ? undefined : number % created),
      session: (number) => (opened === 0 ? undefined : number % opened),
      attributes: (input) => settledAttributes(input, created),
    });
  });
}

function settledAttributes(input: InputAttributes, objects: number): InputAttributes {
  const { Thing: thing, Things: things, ...others } = input;
  const name = (number: string) => nameOf(Number(number) % objects);
  return {
    ...others,
    ...(thing === undefined ? {} : { Thing: thing === null || objects === 0 ? null : name(thing) }),
    ...(things === undefined ? {} : { Things: objects === 0 ? [] : [...new Set(things.map(name))] }),
  };
}

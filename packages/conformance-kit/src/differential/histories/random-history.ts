import fc from "fast-check";
import { nameOf } from "../object-names.ts";
import type { GivenAttributes, HistoryScenario, Step, WritingStep } from "./step.ts";

/** Steps whose numbers of objects and sessions are not yet those of any. */
type Loose = Step;

// Mostly the first ones, so that several steps are about the same.
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
) as fc.Arbitrary<GivenAttributes>;

const writing: fc.Arbitrary<WritingStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("insert"), attributes, readers: fc.constantFrom(null, null, ["READER"]) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("update"),
      object: any,
      attributes,
      versions: fc.constantFrom(null, [1], [2], [1, 2, 3]),
      session,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("delete"),
      objects: fc.array(any, { minLength: 1, maxLength: 3 }),
      recycled: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restore"), object: any }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("lock"), object: any, session: any, atMost: limits }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unlock"), object: any, session }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("open"),
      user: users,
      device: fc.constantFrom(null, "tablet"),
      limit: limits,
      perUserLimit: limits,
      perDevice: fc.constantFrom(1, 2, 5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("end"), session: any }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("endAll"), user: users }) },
);

const anyStep: fc.Arbitrary<Loose> = fc.oneof(
  { weight: 12, arbitrary: writing },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("transaction"),
      steps: fc.array(writing, { minLength: 1, maxLength: 4 }),
      takenBack: fc.boolean(),
    }),
  },
  // No sum of them is the life of a session, at whose very end it depends on less than a millisecond.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait"), minutes: fc.constantFrom(4, 7, 13) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep") }) },
);

/** Histories in which every number is that of an object or a session that was to be created before. */
export function randomHistories(): fc.Arbitrary<HistoryScenario> {
  return fc
    .array(anyStep, { minLength: 1, maxLength: 30, size: "max" })
    .map((loose) => ({ kind: "history", steps: settled(loose) }));
}

function settled(loose: readonly Loose[]): Step[] {
  const counted = { objects: 0, sessions: 0 };
  return loose.flatMap((each): Step[] => {
    if (each.kind === "wait" || each.kind === "sweep") return [each];
    if (each.kind !== "transaction") return settledWriting(each, counted);
    const steps = each.steps.flatMap((inner) => settledWriting(inner, counted));
    return steps.length === 0 ? [] : [{ ...each, steps }];
  });
}

/** The step with real numbers, and none where there is nothing yet to be named. */
function settledWriting(step: WritingStep, counted: { objects: number; sessions: number }): WritingStep[] {
  const { objects, sessions } = counted;
  const object = (number: number) => number % objects;
  const opened = (number: number) => number % sessions;
  switch (step.kind) {
    case "insert":
      counted.objects += 1;
      return [{ ...step, attributes: settledAttributes(step.attributes, objects) }];
    case "open":
      counted.sessions += 1;
      return [step];
    case "update":
    case "unlock": {
      if (objects === 0) return [];
      const by = step.session === null || sessions === 0 ? null : opened(step.session);
      if (step.kind === "unlock") return [{ ...step, object: object(step.object), session: by }];
      return [
        { ...step, object: object(step.object), session: by, attributes: settledAttributes(step.attributes, objects) },
      ];
    }
    case "delete":
      return objects === 0 ? [] : [{ ...step, objects: [...new Set(step.objects.map(object))] }];
    case "restore":
      return objects === 0 ? [] : [{ ...step, object: object(step.object) }];
    case "lock":
      return objects * sessions === 0 ? [] : [{ ...step, object: object(step.object), session: opened(step.session) }];
    case "end":
      return sessions === 0 ? [] : [{ ...step, session: opened(step.session) }];
    case "endAll":
      return [step];
  }
}

function settledAttributes(given: GivenAttributes, objects: number): GivenAttributes {
  const { Thing: thing, Things: things, ...others } = given;
  const name = (number: string) => nameOf(Number(number) % objects);
  return {
    ...others,
    ...(thing === undefined ? {} : { Thing: thing === null || objects === 0 ? null : name(thing) }),
    ...(things === undefined ? {} : { Things: objects === 0 ? [] : [...new Set(things.map(name))] }),
  };
}

import fc from "fast-check";
import { isSameJson, type JsonValue } from "@sallyport/storage";
import { mergeFields, type SentField, type Side } from "./merge-fields.ts";

const outcomes = {
  applied: { applied: ["Field"], merged: [], conflicts: [] },
  done: { applied: [], merged: [], conflicts: [] },
  merged: { applied: [], merged: ["Field"], conflicts: [] },
  conflict: { applied: ["Field"], merged: ["Field"], conflicts: ["Field"] },
};

/** What becomes of a field, by base, client value and server value. */
test.each<[string, JsonValue | undefined, JsonValue, JsonValue, boolean, keyof typeof outcomes]>([
  ["the server still has the base", "a", "b", "a", true, "applied"],
  ["the server has the base, in another spelling", { x: 1, y: [-0] }, "b", { y: [0], x: 1.0 }, true, "applied"],
  ["the server has the new value", "a", "b", "b", true, "merged"],
  ["nothing is changed", "a", "a", "a", true, "done"],
  ["both have changed", "a", "b", "c", true, "conflict"],
  ["both have changed, though the version is current", "a", "b", "c", false, "conflict"],
  ["the server has unset the field", "a", "b", null, true, "conflict"],
  ["the client has unset the field", "a", null, "a", true, "applied"],
  ["both have unset the field", "a", null, null, true, "merged"],
  ["an empty text is not unset", null, "b", "", true, "conflict"],
  ["there is no base, and the client is behind", undefined, "b", "a", true, "conflict"],
  ["there is no base, and the client is behind, but the values are equal", undefined, "b", "b", true, "done"],
  ["there is no base, and the version is current", undefined, "b", "a", false, "applied"],
])("%s", (_title, base, mine, theirs, isBehind, outcome) => {
  const expected = outcomes[outcome];
  const sent = new Map([["Field", { base, mine, theirs }]]);
  expect(mergeFields(sent, { isBehind, side: "mine" })).toEqual(expected);
  // With the policy of the server, a conflicting field keeps its value.
  const applied = outcome === "conflict" ? [] : expected.applied;
  expect(mergeFields(sent, { isBehind, side: "theirs" })).toEqual({ ...expected, applied });
});

/** Few values, so that equal ones are frequent. */
const value = fc.oneof(
  fc.constantFrom<JsonValue>(null, "", "a", 0, -0, 1, true, [], ["a", "b"], ["b", "a"]),
  fc.constantFrom<JsonValue>({ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }),
);
const fields = fc.dictionary(
  fc.constantFrom("A", "B", "C", "D"),
  fc.record({ base: fc.option(value, { nil: undefined }), mine: value, theirs: value }),
);
const sentOf = (input: Readonly<Record<string, SentField>>) => new Map(Object.entries(input));
const result = (sent: ReadonlyMap<string, SentField>, written: readonly string[]) =>
  new Map(Array.from(sent, ([name, { mine, theirs }]) => [name, written.includes(name) ? mine : theirs]));

test("with the policy of the client its values win, and with that of the server nothing that moved is lost", () => {
  fc.assert(
    fc.property(fields, fc.boolean(), (input, isBehind) => {
      const sent = sentOf(input);
      const mine = result(sent, mergeFields(sent, { isBehind, side: "mine" }).applied);
      const theirs = result(sent, mergeFields(sent, { isBehind, side: "theirs" }).applied);
      for (const [name, field] of sent) {
        expect(isSameJson(mine.get(name) ?? null, field.mine)).toBe(true);
        const hasMoved = field.base === undefined ? isBehind : !isSameJson(field.base, field.theirs);
        expect(isSameJson(theirs.get(name) ?? null, hasMoved ? field.theirs : field.mine)).toBe(true);
      }
    }),
  );
});

test("a repeated merge changes nothing and has no conflict that is not the same one", () => {
  fc.assert(
    fc.property(fields, fc.boolean(), fc.constantFrom<Side>("mine", "theirs"), (input, isBehind, side) => {
      const sent = sentOf(input);
      const first = mergeFields(sent, { isBehind, side });
      const now = result(sent, first.applied);
      const again = mergeFields(
        new Map(Array.from(sent, ([name, field]) => [name, { ...field, theirs: now.get(name) ?? null }])),
        { isBehind: true, side },
      );
      expect(again.applied).toEqual([]);
      for (const name of again.conflicts) expect(first.conflicts).toContain(name);
    }),
  );
});

test("the lists are consistent: conflicts are merged, and only they depend on the policy", () => {
  fc.assert(
    fc.property(fields, fc.boolean(), (input, isBehind) => {
      const sent = sentOf(input);
      const mine = mergeFields(sent, { isBehind, side: "mine" });
      const theirs = mergeFields(sent, { isBehind, side: "theirs" });
      expect(mine.conflicts).toEqual(theirs.conflicts);
      expect(mine.merged).toEqual(theirs.merged);
      for (const name of mine.conflicts) expect(mine.merged).toContain(name);
      expect(mine.applied.filter((name) => !mine.conflicts.includes(name))).toEqual(theirs.applied);
    }),
  );
});

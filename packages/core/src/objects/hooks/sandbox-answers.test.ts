import { changesFrom, chosenFrom } from "../../execution/index.ts";
import type { JsonValue } from "../../storage/index.ts";

describe("what comes out of the sandbox", () => {
  test("is taken as it should be", () => {
    const changes = [null, { set: { Name: "x" }, removed: ["Age"] }];
    expect(changesFrom("hook", changes, 2)).toEqual(changes);
    expect(chosenFrom("hook", { accepted: true, where: [{}], oids: [["1"]], sort: ["-Name"], surprise: 1 })).toEqual({
      accepted: true,
      where: [{}],
      oids: [["1"]],
      sort: ["-Name"],
    });
    expect(chosenFrom("hook", { accepted: false, where: [], oids: [] })).toEqual({
      accepted: false,
      where: [],
      oids: [],
    });
  });

  const wrongChanges: (JsonValue | undefined)[] = [
    undefined,
    null,
    {},
    [],
    [null, null],
    "x",
    [5],
    [[]],
    [{}],
    [{ set: {} }],
    [{ set: [], removed: [] }],
    [{ set: {}, removed: "x" }],
    [{ set: {}, removed: [5] }],
    [{ set: null, removed: [] }],
  ];
  test.each(wrongChanges.map((wrong) => [wrong]))("is not taken as a change of one object: %j", (wrong) =>
    expect(() => changesFrom("hook", wrong, 1)).toThrow(expect.objectContaining({ code: 710 })),
  );

  const many = Array.from({ length: 101 }, () => ({}));
  const wrongSets: (JsonValue | undefined)[] = [
    undefined,
    null,
    true,
    [],
    {},
    { accepted: 1, where: [], oids: [] },
    { accepted: true, oids: [] },
    { accepted: true, where: {}, oids: [] },
    { accepted: true, where: many, oids: [] },
    { accepted: true, where: [], oids: many },
  ];
  test.each(wrongSets.map((wrong) => [wrong]))("is not taken as a set of objects: %j", (wrong) =>
    expect(() => chosenFrom("hook", wrong)).toThrow(expect.objectContaining({ code: 710 })),
  );
});

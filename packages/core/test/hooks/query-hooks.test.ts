import type { AskedSet, ChosenSet, FindHook, SessionContext } from "../../src/index.ts";
import { type HookFixture, openHookFixture } from "./hook-fixture.ts";

const accepted: ChosenSet = { accepted: true, where: [], oids: [] };
const find = (
  name: string,
  classes: readonly string[],
  choose: (set: AskedSet) => Partial<ChosenSet>,
  byDefault = false,
): FindHook => ({
  name,
  classes,
  byDefault,
  run: async (_caller, set) => ({ ...accepted, ...choose(set) }),
});

describe("hooks of queries", () => {
  let f: HookFixture;
  let ids: string[];
  beforeEach(async () => {
    f = await openHookFixture();
    ids = await f.fixture.insert(
      ...[10, 20, 30, 40].map((Age) => ({
        className: Age === 40 ? "Manager" : "Person",
        attributes: { Name: `${Age}`, Age },
      })),
    );
  });

  const list = async (query?: object, more: object = {}, context: SessionContext = f.context) => {
    const { list: found, next } = await f.list.run(context, {
      className: "Person",
      query: query as never,
      page: 0,
      perPage: 10,
      cursor: undefined,
      capped: false,
      serialization: undefined,
      ...more,
    });
    return {
      names: found["~Elements"].map((each) => each["Name"]),
      count: found["~Count"],
      all: found["~UnfilteredCount"],
      next,
    };
  };

  test("narrow and order what a query that names them means, besides what that says itself", async () => {
    const asked: AskedSet[] = [];
    f.hooks.use({
      findObjects: [
        find(
          "Old",
          ["Person"],
          (set) => (asked.push(set), { where: [{ Age: { $gte: 20 } }, { Age: { $lt: 40 } }], sort: ["-Age"] }),
        ),
      ],
    });
    expect(await list({ macro: "Old" })).toMatchObject({ names: ["30", "20"], count: 2, all: 4 });
    expect(await list({ macro: "Old", where: { Age: { $ne: 30 } }, sort: ["Age"], oids: ids })).toMatchObject({
      names: ["20"],
    });
    expect(asked).toEqual([
      { className: "Person" },
      { className: "Person", where: { Age: { $ne: 30 } }, sort: ["Age"], oids: ids },
    ]);
    expect(await list()).toMatchObject({ count: 4 });
    f.hooks.use({ findObjects: [find("Two", ["Person"], () => ({ oids: [ids.slice(0, 3), ids.slice(1)] }))] });
    expect(await list({ macro: "Two" })).toMatchObject({ names: ["20", "30"] });
    f.hooks.use({ findObjects: [find("None", ["Person"], () => ({ oids: [[]] }))] });
    expect(await list({ macro: "None" })).toMatchObject({ names: [], all: 4 });
  });

  test("are asked about every list of their classes by default, and once where they are named, too", async () => {
    let asked = 0;
    f.hooks.use({
      findObjects: [find("Young", ["Person"], () => ((asked += 1), { where: [{ Age: { $lt: 30 } }] }), true)],
    });
    expect(await list()).toMatchObject({ names: ["10", "20"], all: 4 });
    expect(await list({ macro: "Young" })).toMatchObject({ count: 2 });
    expect(asked).toBe(2);
    expect(
      (
        await f.updateAll.run(f.context, {
          className: "Person",
          query: {},
          given: { Note: "young" },
          expectedVersions: null,
        })
      ).count,
    ).toBe(2);
    // What hooks look for themselves is whole.
    expect(await list({}, {}, { ...f.context, hookDepth: 1 } as SessionContext)).toMatchObject({ count: 4 });
  });

  test("refuse by not accepting, and under names of nothing, of other classes or of no text", async () => {
    f.hooks.use({
      findObjects: [
        find("No", ["Person"], () => ({ accepted: false })),
        find("Tasks", ["Task"], () => ({})),
        find("Managers", ["Manager"], () => ({})),
      ],
    });
    for (const macro of ["No", "Tasks", "Managers", "Nothing", "", 5, null, ["No"], "__proto__"])
      await expect(list({ macro })).rejects.toMatchObject({ code: 307 });
    await expect(
      f.updateAll.run(f.context, { className: "Person", query: { macro: "No" }, given: {}, expectedVersions: null }),
    ).rejects.toMatchObject({ code: 307 });
    f.hooks.use({ findObjects: [find("No", ["Person"], () => ({ accepted: false }), true)] });
    await expect(list()).rejects.toMatchObject({ code: 307 });
    f.hooks.use({});
    await expect(list({ macro: "No" })).rejects.toMatchObject({ code: 307 });
  });

  test("fail when they ask for what cannot be asked", async () => {
    const wrong: Partial<ChosenSet>[] = [
      { where: [{ Nothing: 1 }] },
      { where: [5] },
      { sort: ["Nothing"] },
      { sort: "Age" },
      { oids: ["x"] },
      { oids: [["?"]] },
    ];
    for (const each of wrong) {
      f.hooks.use({ findObjects: [find("Wrong", ["Person"], () => each)] });
      await expect(list({ macro: "Wrong" })).rejects.toMatchObject({ code: 710 });
    }
  });

  test("reach nothing that the caller does not see", async () => {
    await f.fixture.insert({ className: "Person", attributes: { Name: "hidden" }, readers: [] });
    f.hooks.use({
      findObjects: [
        find("Hidden", ["Person"], () => ({ where: [{ Name: "hidden" }] })),
        find("Through", ["Person"], () => ({ where: [{ "Secret.Word": { $ne: "x" } }] })),
      ],
    });
    expect(await list({ macro: "Hidden" })).toMatchObject({ count: 0, all: 4 });
    expect(await list({ macro: "Through" })).toMatchObject({ count: 4 });
  });

  test("give out cursors that hold as long as they choose the same", async () => {
    let least = 10;
    f.hooks.use({
      findObjects: [find("From", ["Person"], () => ({ where: [{ Age: { $gte: least } }], sort: ["Age"] }))],
    });
    const { next } = await list({ macro: "From" }, { perPage: 2 });
    expect(await list({ macro: "From" }, { perPage: 2, cursor: next })).toMatchObject({ names: ["30", "40"] });
    least = 20;
    await expect(list({ macro: "From" }, { perPage: 2, cursor: next })).rejects.toMatchObject({ code: 307 });
  });
});

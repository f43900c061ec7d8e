import { jest } from "@jest/globals";
import { setImmediate as turn } from "node:timers/promises";
import { emptyLibrary, type LibraryContext, MacroFault, MacroStore } from "../../src/index.ts";
import { MacroFixture } from "./macro-fixture.ts";

let macros: MacroFixture;

beforeEach(async () => {
  macros = await MacroFixture.open();
});

const declared = JSON.stringify({ run: true, access: "everyone" });
const folder = (...texts: readonly (readonly [string, string])[]) => {
  macros.source.texts = texts.map(([name, text]) => ({ name, text, language: "js", origin: `${name}.js` }));
  macros.source.generation += 1;
};
const put = (name: string, text: string) =>
  new MacroStore(macros.fixture.r).put({ name, text, language: "js", changedBy: "test" }, null);
const context = async (): Promise<LibraryContext> => {
  const { generation } = await new MacroStore(macros.fixture.r).load();
  return { r: macros.fixture.r, unit: macros.fixture.database.unit, macroGeneration: generation };
};
const kinds = async (...names: readonly string[]) => {
  const set = await macros.library.current(await context());
  return names.map((name) => set.find(name)?.kind);
};

describe("the library of a database", () => {
  test("has macros and hooks of the folder and of the database, by name", async () => {
    folder(
      ["Macro", declared],
      ["Hook", JSON.stringify({ run: true, on: "beforeSave", classes: ["Thing"] })],
      ["xRestApi_FindObjects", JSON.stringify({ run: true, classes: ["Thing"] })],
    );
    await put("Stored", declared);
    expect(await kinds("Macro", "Stored", "Hook", "xRestApi_FindObjects", "constructor")).toEqual([
      "macro",
      "macro",
      "hook",
      "hook",
      undefined,
    ]);
    const set = await macros.library.current(await context());
    expect(set.hooks.map(({ name }) => name)).toEqual(["Hook", "xRestApi_FindObjects"]);
    expect(macros.loaded).toMatchObject([{ macros: 2, hooks: 2, broken: [], shadowed: [] }]);
  });

  test("is read once until something changes, and inspects what has changed alone", async () => {
    folder(["One", declared], ["Two", declared]);
    const seen = await context();
    const sets = await Promise.all([macros.library.current(seen), macros.library.current(seen)]);
    expect(macros.library.current(seen)).toBe(sets[0]);
    expect({ same: sets[0] === sets[1], inspections: macros.runtime.inspections }).toEqual({
      same: true,
      inspections: 2,
    });
    folder(["One", declared], ["Two", `${declared} `]);
    await macros.library.current(seen);
    expect(macros.runtime.inspections).toBe(3);
    await put("Three", declared);
    expect(await kinds("Three")).toEqual(["macro"]);
    await new MacroStore(macros.fixture.r).remove("Three", { changedBy: "test", expectedVersion: null });
    expect(await kinds("One", "Three")).toEqual(["macro", undefined]);
    expect(macros.runtime.inspections).toBe(4);
  });

  test("keeps what is broken as broken, and tells it once", async () => {
    folder(
      ["Syntax", "fault of syntax"],
      ["Wrong", JSON.stringify({ run: true, access: 5 })],
      ["no-name", declared],
      ["Twice", declared],
      ["Twice", declared],
      ["Good", declared],
    );
    expect(await kinds("Syntax", "Wrong", "no-name", "Twice", "Good")).toEqual([
      "broken",
      "broken",
      "broken",
      "broken",
      "macro",
    ]);
    await put("More", declared);
    await kinds();
    const [first, second] = macros.loaded;
    expect(first?.broken.map(({ name, origin, fault }) => [name, origin, fault instanceof MacroFault])).toEqual([
      ["Syntax", "Syntax.js", true],
      ["Wrong", "Wrong.js", true],
      ["no-name", "no-name.js", true],
      ["Twice", "Twice.js", true],
    ]);
    expect(second).toMatchObject({ macros: 2, broken: [] });
    await expect(macros.execute("Syntax")).rejects.toEqual(
      expect.objectContaining({ code: 710, detail: "The macro is broken." }),
    );
  });

  test("goes on to call a hook that breaks, which fails, until it is mended or gone", async () => {
    const hook = JSON.stringify({ run: true, on: "beforeSave", classes: ["Thing"] });
    const hooks = async () =>
      (await macros.library.current(await context())).hooks.map(({ kind, name, hook: { on } }) => [kind, name, on]);
    folder(["Guard", hook], ["Never", "fault"]);
    expect(await hooks()).toEqual([["hook", "Guard", "beforeSave"]]);
    for (const text of ["fault of syntax", "fault once more"]) {
      folder(["Guard", text], ["Never", "fault"]);
      expect(await hooks()).toEqual([["broken", "Guard", "beforeSave"]]);
    }
    folder(["Guard", hook], ["Guard", hook]);
    expect(await hooks()).toEqual([["broken", "Guard", "beforeSave"]]);
    folder(["Guard", declared]);
    expect(await hooks()).toEqual([]);
    folder(["Guard", hook]);
    expect(await hooks()).toEqual([["hook", "Guard", "beforeSave"]]);
    folder();
    expect(await hooks()).toEqual([]);
  });

  test("takes the database's macro where both have one, and says so once", async () => {
    macros.define("Same", async () => "folder");
    await put("Same", JSON.stringify({ run: true, on: "beforeSave", classes: ["Thing"] }));
    expect(await kinds("Same")).toEqual(["hook"]);
    await put("Other", declared);
    await kinds();
    expect(macros.loaded.map(({ shadowed }) => shadowed)).toEqual([["Same"], []]);
  });

  test("fails as a whole where a text could not be looked at, and tries again", async () => {
    folder(["Busy", "busy"]);
    await expect(macros.library.current(await context())).rejects.toEqual(expect.objectContaining({ code: 706 }));
    folder(["Busy", declared]);
    expect(await kinds("Busy")).toEqual(["macro"]);
  });

  test.each(["ended", "timeout", "displaced"] as const)(
    "looks twice at a text that had bad luck: %s",
    async (badLuck) => {
      macros.runtime.badLuck = badLuck;
      folder(["Unlucky", "unlucky"]);
      macros.runtime.unlucky = declared;
      expect(await kinds("Unlucky")).toEqual(["macro"]);
      folder(["Unlucky", "unlucky "]);
      expect(await kinds("Unlucky")).toEqual(["broken"]);
      expect(await kinds("Unlucky")).toEqual(["broken"]);
      expect(macros.runtime.inspections).toBe(4);
      const clock = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
      expect(await kinds("Unlucky")).toEqual(["broken"]);
      clock.mockRestore();
      while (macros.runtime.inspections < 6) await turn();
    },
  );

  test("is empty where none is configured", async () => {
    const set = await emptyLibrary.current(await context());
    expect([...set.all()]).toEqual([]);
  });
});

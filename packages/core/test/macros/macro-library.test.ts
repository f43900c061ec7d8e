import { jest } from "@jest/globals";
import { until } from "@sallyport/test-kit/jest/until";
import {
  administrationOf,
  emptyLibrary,
  type NewMacro,
  type LibraryContext,
  type LibraryModule,
  MacroFault,
  MacroStore,
  maxMacroBytes,
  removeMacro,
  putMacro,
} from "../../src/index.ts";
import { type Fixture, openFixture, using } from "../fixture.ts";
import { MacroFixture } from "./macro-fixture.ts";

describe("macro library", () => {
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
    return { r: macros.fixture.r, unit: macros.fixture.database.unit, settingsGeneration: generation };
  };
  const kinds = async (...names: readonly string[]) => {
    const set = await macros.library.current(await context());
    return names.map((name) => set.find(name)?.kind);
  };

  describe("library of a database", () => {
    test("contains macros and hooks of the folder and of the database, by name", async () => {
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

    test("is read once until a change, and inspects changed texts only", async () => {
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

    test("inspects and reports nothing when the generation rises for other settings", async () => {
      await put("Stored", declared);
      folder(["Syntax", "fault of syntax"]);
      const before = await macros.library.current(await context());
      await macros.fixture.r.settings.raise();
      const after = await macros.library.current(await context());
      expect(after.generation).toBe(before.generation + 1);
      expect(after.find("Stored")).toBe(before.find("Stored"));
      expect({ inspections: macros.runtime.inspections, reports: macros.loaded.length }).toEqual({
        inspections: 2,
        reports: 1,
      });
    });

    test("keeps a broken macro as broken, and reports it once", async () => {
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
        expect.objectContaining({ code: 710, detail: "The macro failed to load." }),
      );
    });

    test("keeps calling a broken hook, which fails, until it is fixed or removed", async () => {
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

    test("prefers the database's macro over the folder's, and reports it once", async () => {
      macros.define("Same", async () => "folder");
      await put("Same", JSON.stringify({ run: true, on: "beforeSave", classes: ["Thing"] }));
      expect(await kinds("Same")).toEqual(["hook"]);
      await put("Other", declared);
      await kinds();
      expect(macros.loaded.map(({ shadowed }) => shadowed)).toEqual([["Same"], []]);
    });

    test("fails as a whole when a text cannot be inspected, and tries again", async () => {
      folder(["Busy", "busy"]);
      await expect(macros.library.current(await context())).rejects.toEqual(expect.objectContaining({ code: 706 }));
      folder(["Busy", declared]);
      expect(await kinds("Busy")).toEqual(["macro"]);
    });

    test.each(["ended", "timeout", "evicted"] as const)(
      "inspects a text again after a transient failure: %s",
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
        await until(() => macros.runtime.inspections >= 6);
      },
    );

    test("is empty without a configured source", async () => {
      const set = await emptyLibrary.current(await context());
      expect([...set.all()]).toEqual([]);
    });
  });
});

const sound = { kind: "macro" } as LibraryModule;

describe("macros stored by a command", () => {
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await openFixture();
  });

  const input: NewMacro = { name: "Report", text: "export default 1;", language: "js", changedBy: "ada" };
  const removal = { changedBy: "ada", expectedVersion: null };
  const put = (more: Partial<NewMacro> = {}, expectedVersion: number | null = null) =>
    putMacro(
      using(administrationOf(fixture.database), {
        moduleInspector: { inspect: async (texts) => texts.map((text) => ({ ...text, module: sound })) },
      }),
      { ...input, ...more, expectedVersion },
    );
  const auditEvents = async () =>
    (await fixture.r.audit.read(0, 10)).map(({ type, macroName }) => `${type} ${macroName}`);

  test("return their new version, and each change is audited", async () => {
    expect(await put()).toEqual({ outcome: "stored", version: 1 });
    expect(await put({ text: "2" }, 1)).toEqual({ outcome: "stored", version: 2 });
    expect(await removeMacro(administrationOf(fixture.database), { name: "Report", ...removal })).toBe("removed");
    expect(await put({ text: "2" }, 0)).toEqual({ outcome: "stored", version: 4 });
    expect(await auditEvents()).toEqual([
      "macro.stored Report",
      "macro.stored Report",
      "macro.removed Report",
      "macro.stored Report",
    ]);
    const [event] = await fixture.r.audit.read(0, 1);
    expect(event).toMatchObject({
      requestId: "",
      outcome: 0,
      appKeyId: "",
      actorId: null,
      subjectId: null,
      address: "",
      appNames: [],
      className: null,
    });
  });

  test("stay unchanged without a difference or after a concurrent change", async () => {
    await put();
    expect(await put({ changedBy: "bob" })).toEqual({ outcome: "unchanged", version: 1 });
    expect(await put({}, 1)).toEqual({ outcome: "unchanged", version: 1 });
    expect(await put({}, 0)).toEqual({ outcome: "stale", version: 1 });
    expect(await put({ text: "2" }, 3)).toEqual({ outcome: "stale", version: 1 });
    expect(await put({ name: "Other" }, 1)).toEqual({ outcome: "stale", version: 0 });
    expect(
      await removeMacro(administrationOf(fixture.database), { name: "Report", ...removal, expectedVersion: 2 }),
    ).toBe("stale");
    expect(await removeMacro(administrationOf(fixture.database), { name: "Other", ...removal })).toBe("unknown");
    expect(await auditEvents()).toEqual(["macro.stored Report"]);
    expect(await put({ language: "ts" })).toEqual({ outcome: "stored", version: 2 });
  });

  test("have a text of at most 256 KiB, a valid name, and an author", async () => {
    const largest = "ü".repeat(maxMacroBytes / 2);
    expect(maxMacroBytes).toBe(262_144);
    expect(await put({ text: largest })).toMatchObject({ outcome: "stored" });
    await expect(put({ text: `${largest} ` })).rejects.toMatchObject({ code: 307 });
    for (const name of ["", "1a", "a-b", "a.b", "é", "x".repeat(129)])
      await expect(put({ name })).rejects.toMatchObject({ code: 400 });
    for (const changedBy of ["", "x".repeat(256), "\0"])
      await expect(put({ changedBy })).rejects.toMatchObject({ code: 307 });
    for (const text of ["\0", "\ud800"]) await expect(put({ text })).rejects.toMatchObject({ code: 307 });
    expect((await new MacroStore(fixture.r).load()).generation).toBe(1);
    expect(await put({ name: "_".repeat(128) })).toMatchObject({ outcome: "stored" });
  });

  test("are inspected before they are stored", async () => {
    const fault = new MacroFault("invalid", "Report", "run: A function is expected.");
    const seen: unknown[] = [];
    await expect(
      putMacro(
        using(administrationOf(fixture.database), {
          moduleInspector: {
            inspect: async (texts) => {
              seen.push(...texts);
              return texts.map((text) => ({
                ...text,
                module: { kind: "broken", name: text.name, fault, transient: false },
              }));
            },
          },
        }),
        { ...input, expectedVersion: null },
      ),
    ).rejects.toBe(fault);
    expect(seen).toEqual([{ name: "Report", text: input.text, language: "js", origin: "Report" }]);
    expect(await new MacroStore(fixture.r).load()).toEqual({ generation: 0, macros: [] });
  });
});

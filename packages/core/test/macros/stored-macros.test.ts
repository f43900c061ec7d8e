import {
  administrationOf,
  type GivenMacro,
  type LibraryModule,
  MacroFault,
  mostMacroBytes,
  PutMacro,
  removeMacro,
  MacroStore,
} from "../../src/index.ts";
import { type Fixture, openFixture } from "../fixture.ts";

const sound = { kind: "macro" } as LibraryModule;

describe("macros that are stored by a command", () => {
  let fixture: Fixture;

  beforeEach(async () => {
    fixture = await openFixture();
  });

  const given: GivenMacro = { name: "Report", text: "export default 1;", language: "js", changedBy: "ada" };
  const removal = { changedBy: "ada", expectedVersion: null };
  const putting = new PutMacro({ inspect: async (texts) => texts.map((text) => ({ ...text, module: sound })) });
  const put = (more: Partial<GivenMacro> = {}, expectedVersion: number | null = null) =>
    putting.run(administrationOf(fixture.database), { ...given, ...more, expectedVersion });
  const told = async () => (await fixture.r.audit.read(0, 10)).map(({ type, macroName }) => `${type} ${macroName}`);

  test("tell the version that they have now, and the audit tells of each change", async () => {
    expect(await put()).toEqual({ outcome: "stored", version: 1 });
    expect(await put({ text: "2" }, 1)).toEqual({ outcome: "stored", version: 2 });
    expect(await removeMacro(administrationOf(fixture.database), { name: "Report", ...removal })).toBe("removed");
    expect(await put({ text: "2" }, 0)).toEqual({ outcome: "stored", version: 4 });
    expect(await told()).toEqual([
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

  test("stay as they are when nothing would change, or somebody was faster", async () => {
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
    expect(await told()).toEqual(["macro.stored Report"]);
    expect(await put({ language: "ts" })).toEqual({ outcome: "stored", version: 2 });
  });

  test("have a text of 256 KiB at most, a name that can be named, and an author", async () => {
    const largest = "ü".repeat(mostMacroBytes / 2);
    expect(mostMacroBytes).toBe(262_144);
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

  test("are looked at before they are stored", async () => {
    const fault = new MacroFault("invalid", "Report", "There is no function run.");
    const seen: unknown[] = [];
    const strict = new PutMacro({
      inspect: async (texts) => {
        seen.push(...texts);
        return texts.map((text) => ({ ...text, module: { kind: "broken", name: text.name, fault, passing: false } }));
      },
    });
    await expect(strict.run(administrationOf(fixture.database), { ...given, expectedVersion: null })).rejects.toBe(
      fault,
    );
    expect(seen).toEqual([{ name: "Report", text: given.text, language: "js", origin: "Report" }]);
    expect(await new MacroStore(fixture.r).load()).toEqual({ generation: 0, macros: [] });
  });
});

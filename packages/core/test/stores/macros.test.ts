import { type GivenMacro, type MacroRemoval, MacroStore, type MacroVersion } from "../../src/index.ts";
import { changesOf, macroNamed } from "./macro-changes.ts";
import { hostileTexts, hour, openStage, type StoreStage, unstorableTexts } from "./store-stage.ts";

const outlineOf = ({ version, text, changedBy }: MacroVersion) => [version, text, changedBy];

describe("macros as they are kept", () => {
  let stage: StoreStage;
  let macros: MacroStore;

  beforeEach(async () => {
    stage = await openStage();
    macros = new MacroStore(stage.r);
  });

  const put = (macro: GivenMacro, expected: number | null) => changesOf(stage.storage).put(macro, expected);
  const remove = (name: string, more: Partial<MacroRemoval> = {}) => changesOf(stage.storage).remove(name, more);
  const names = async () => (await macros.load()).macros.map(({ name }) => name);

  test("are none in a new database", async () => {
    expect(await macros.load()).toEqual({ generation: 0, macros: [] });
    expect(await macros.history("Report", 10)).toEqual([]);
  });

  test("are kept as they were put, dated by the storage's clock", async () => {
    stage.advance(50 * hour);
    const before = await stage.storage.now();
    const given = macroNamed("Report", { language: "ts", text: "" });
    expect(await put(given, null)).toBe("stored");
    const after = await stage.storage.now();
    const loaded = await macros.load();
    const changedAt = loaded.macros[0]?.changedAt ?? 0;
    expect(changedAt).toBeGreaterThanOrEqual(before);
    expect(changedAt).toBeLessThanOrEqual(after);
    const kept = { ...given, version: 1, changedAt };
    expect(loaded.macros).toEqual([kept]);
    expect(await macros.history("Report", 10)).toEqual([kept]);
  });

  test("keep the time of their own change", async () => {
    await put(macroNamed("Report"), null);
    stage.advance(hour);
    await put(macroNamed("Report"), null);
    const [second, first] = await macros.history("Report", 10);
    expect((second?.changedAt ?? 0) - (first?.changedAt ?? 0)).toBeGreaterThanOrEqual(hour);
    expect((await macros.load()).macros[0]?.changedAt).toBe(second?.changedAt);
  });

  test("keep hostile texts as they are, names among them", async () => {
    for (const text of hostileTexts) {
      expect(await put(macroNamed(text, { text, changedBy: text }), 0)).toBe("stored");
      const found = (await macros.load()).macros.find(({ name }) => name === text);
      expect(found).toMatchObject({ text, changedBy: text });
      expect((await macros.history(text, 10)).map(outlineOf)).toEqual([[1, text, text]]);
    }
  });

  test("keep long texts and names whole", async () => {
    const text = "\u{1f469}é\n".repeat(65_536);
    const given = macroNamed("N".repeat(128), { text, changedBy: "ü".repeat(255) });
    await put(given, null);
    const [kept] = (await macros.load()).macros;
    expect(kept?.text === text).toBe(true);
    expect([kept?.name, kept?.changedBy]).toEqual([given.name, given.changedBy]);
  });

  test("come by name, in the order of code points, each for itself", async () => {
    for (const name of ["\uffff", "b", "\u{10000}", "B", "a", "a ", "é"])
      expect(await put(macroNamed(name), 0)).toBe("stored");
    expect(await names()).toEqual(["B", "a", "a ", "b", "é", "\uffff", "\u{10000}"]);
    expect((await macros.history("a", 10)).map(({ name }) => name)).toEqual(["a"]);
  });

  test("are loaded all, however many there are", async () => {
    const numbered = (first: number, last: number) =>
      Array.from({ length: last - first }, (_, index) => `Macro ${String(first + index).padStart(3, "0")}`);
    const putAll = (given: readonly string[]) =>
      stage.storage.transaction(async (r) => {
        for (const name of given) await new MacroStore(r).put(macroNamed(name), 0);
      });
    await putAll(numbered(0, 200));
    expect(await names()).toEqual(numbered(0, 200));
    await putAll(numbered(200, 203));
    expect(await names()).toEqual(numbered(0, 203));
  });

  test("are stored version by version, and what they were is kept", async () => {
    await put(macroNamed("Other"), null);
    for (const text of ["one", "two", "two", "four"])
      await put(macroNamed("Report", { text, changedBy: `by ${text}` }), null);
    const all = [
      [4, "four", "by four"],
      [3, "two", "by two"],
      [2, "two", "by two"],
      [1, "one", "by one"],
    ];
    const history = async (limit: number, below?: number) =>
      (await macros.history("Report", limit, below)).map(outlineOf);
    expect(await history(10)).toEqual(all);
    expect(await history(2)).toEqual(all.slice(0, 2));
    expect(await history(2, 3)).toEqual(all.slice(2));
    expect(await history(10, 1)).toEqual([]);
    expect((await macros.load()).macros.map(({ name, version, text }) => [name, version, text])).toEqual([
      ["Other", 1, macroNamed("Other").text],
      ["Report", 4, "four"],
    ]);
  });

  test("have their versions in the order of numbers", async () => {
    for (let version = 1; version <= 12; version += 1) await put(macroNamed("Report"), null);
    const versions = (await macros.history("Report", 20)).map(({ version }) => version);
    expect(versions).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect((await macros.history("Report", 2, 11)).map(({ version }) => version)).toEqual([10, 9]);
  });

  test("are gone when they were removed, and their history is not", async () => {
    await put(macroNamed("Report", { text: "one", changedBy: "first" }), null);
    await put(macroNamed("Other"), null);
    expect(await remove("Report", { changedBy: "second" })).toBe("removed");
    expect(await names()).toEqual(["Other"]);
    const [gone, first] = await macros.history("Report", 10);
    expect(gone).toEqual({
      name: "Report",
      text: null,
      language: null,
      version: 2,
      changedAt: expect.any(Number),
      changedBy: "second",
    });
    expect(first).toMatchObject({ version: 1, text: "one" });
    expect(await put(macroNamed("Report", { text: "three" }), 0)).toBe("stored");
    expect((await macros.history("Report", 10)).map(({ version, text }) => [version, text])).toEqual([
      [3, "three"],
      [2, null],
      [1, "one"],
    ]);
  });

  test("are refused with a text that cannot be stored", async () => {
    for (const text of unstorableTexts) {
      for (const given of [{ name: text }, { text }, { changedBy: text }])
        await expect(put(macroNamed("Report", given), null)).rejects.toMatchObject({ code: 307 });
      expect(await remove(text)).toBe("unknown");
      expect(await macros.history(text, 10)).toEqual([]);
    }
    expect(await macros.load()).toEqual({ generation: 0, macros: [] });
  });

  test("are not removed in the name of an author that cannot be stored", async () => {
    await put(macroNamed("Report"), null);
    for (const text of unstorableTexts)
      await expect(remove("Report", { changedBy: text })).rejects.toMatchObject({ code: 307 });
    expect(await names()).toEqual(["Report"]);
    expect((await macros.history("Report", 10)).length).toBe(1);
    expect((await macros.load()).generation).toBe(1);
  });
});

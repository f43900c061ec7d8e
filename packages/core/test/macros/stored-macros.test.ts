import type { Repositories } from "@sallyport/storage";
import { type NewMacro, type MacroRemoval, MacroStore, type MacroVersion } from "../../src/index.ts";
import { changesOf, macroNamed, removal } from "../stores/macro-changes.ts";
import {
  concurrently,
  hostileTexts,
  hour,
  minute,
  openStoreFixture,
  type StoreFixture,
  tally,
  unstorableTexts,
} from "../stores/store-fixture.ts";

const admissionOf = (r: Repositories) => r.admission.admit({ appKey: null, session: null, idleTimeout: minute });

/** The generation as loaded, and as a request sees it. */
async function generationsOf(r: Repositories): Promise<number[]> {
  return [(await new MacroStore(r).load()).generation, (await admissionOf(r)).settingsGeneration];
}

describe("macro changes", () => {
  let stage: StoreFixture;
  let macros: MacroStore;

  beforeEach(async () => {
    stage = await openStoreFixture();
    macros = new MacroStore(stage.r);
  });

  const put = (macro: NewMacro, expected: number | null) => changesOf(stage.storage).put(macro, expected);
  const remove = (name: string, more: Partial<MacroRemoval> = {}) => changesOf(stage.storage).remove(name, more);
  const versions = async (name: string) => (await macros.history(name, 20)).map(({ version }) => version);
  const loaded = async () => (await macros.load()).macros.map(({ version, text }) => [version, text]);

  test("are stored with the current version", async () => {
    expect(await put(macroNamed("Report"), 1)).toBe("stale");
    expect(await put(macroNamed("Report"), 0)).toBe("stored");
    for (const expected of [0, 2]) expect(await put(macroNamed("Report", { text: "other" }), expected)).toBe("stale");
    expect(await versions("Report")).toEqual([1]);
    expect(await generationsOf(stage.r)).toEqual([1, 1]);
    expect(await put(macroNamed("Report", { text: "second" }), 1)).toBe("stored");
    expect(await put(macroNamed("Report", { text: "third" }), null)).toBe("stored");
    expect(await loaded()).toEqual([[3, "third"]]);
  });

  test("are removed with the current version", async () => {
    expect(await remove("Report")).toBe("unknown");
    expect(await remove("Report", { expectedVersion: 1 })).toBe("unknown");
    await put(macroNamed("Report"), null);
    await put(macroNamed("Report"), null);
    for (const expectedVersion of [0, 1, 3]) expect(await remove("Report", { expectedVersion })).toBe("stale");
    expect(await versions("Report")).toEqual([2, 1]);
    expect(await generationsOf(stage.r)).toEqual([2, 2]);
    expect(await remove("Report", { expectedVersion: 2 })).toBe("removed");
    expect(await remove("Report")).toBe("unknown");
    expect(await put(macroNamed("Report"), 3)).toBe("stale");
    expect(await put(macroNamed("Report"), 0)).toBe("stored");
  });

  test("raise the generation by one each, which admission shows", async () => {
    const changes = [
      () => put(macroNamed("Report"), null),
      () => put(macroNamed("Report"), 1),
      () => put(macroNamed("Other"), 0),
      () => remove("Report"),
      () => put(macroNamed("Report"), null),
    ];
    const { generation: modelGeneration } = await stage.r.model.load();
    expect(await generationsOf(stage.r)).toEqual([0, 0]);
    for (const [index, change] of changes.entries()) {
      await change();
      expect(await generationsOf(stage.r)).toEqual([index + 1, index + 1]);
    }
    expect((await stage.r.model.load()).generation).toBe(modelGeneration);
    expect((await admissionOf(stage.r)).modelGeneration).toBe(modelGeneration);
  });

  test("are stored once by concurrent puts of the same version", async () => {
    for (const expected of [0, 1]) {
      const outcomes = await concurrently(10, (index) =>
        put(macroNamed("Report", { text: `text ${index}` }), expected),
      );
      expect(tally(outcomes)).toEqual({ stored: 1, stale: 9 });
      expect(await loaded()).toEqual([[expected + 1, `text ${outcomes.indexOf("stored")}`]]);
      expect(await generationsOf(stage.r)).toEqual([expected + 1, expected + 1]);
    }
  });

  test("lose none of the concurrent versions", async () => {
    await concurrently(10, (index) =>
      put(macroNamed(index % 2 === 0 ? "Even" : "Odd", { text: `text ${index}` }), null),
    );
    for (const [name, start] of [
      ["Even", 0],
      ["Odd", 1],
    ] as const) {
      expect(await versions(name)).toEqual([5, 4, 3, 2, 1]);
      const texts = (await macros.history(name, 20)).map(({ text }) => text).toSorted();
      expect(texts).toEqual([0, 2, 4, 6, 8].map((index) => `text ${index + start}`));
    }
    expect(await generationsOf(stage.r)).toEqual([10, 10]);
  });

  test("lose none of the concurrent versions outside of transactions", async () => {
    const outcomes = await concurrently(10, (index) =>
      macros.put(macroNamed("Report", { text: `text ${index}` }), null),
    );
    expect(tally(outcomes)).toEqual({ stored: 10 });
    expect(await versions("Report")).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await generationsOf(stage.r)).toEqual([10, 10]);
    expect(tally(await concurrently(10, () => macros.put(macroNamed("Report"), 10)))).toEqual({ stored: 1, stale: 9 });
    expect(tally(await concurrently(10, () => macros.remove("Report", removal)))).toEqual({ removed: 1, unknown: 9 });
    expect(await generationsOf(stage.r)).toEqual([12, 12]);
  });

  test("are removed once by concurrent removals", async () => {
    await put(macroNamed("Report"), null);
    const outcomes = await concurrently(10, () => remove("Report", { expectedVersion: 1 }));
    expect(tally(outcomes)).toEqual({ removed: 1, unknown: 9 });
    expect(await versions("Report")).toEqual([2, 1]);
    expect(await generationsOf(stage.r)).toEqual([2, 2]);
  });

  test("are never older than the generation with which they are loaded", async () => {
    const change = async () => {
      for (let round = 0; round < 20; round += 1) await put(macroNamed("Report"), null);
    };
    const look = async () => {
      const old: unknown[] = [];
      for (let round = 0; round < 40; round += 1) {
        const { generation, macros: found } = await macros.load();
        const version = found[0]?.version ?? 0;
        if (version < generation) old.push([generation, version]);
      }
      return old;
    };
    const [old] = await Promise.all([look(), change()]);
    expect(old).toEqual([]);
    expect((await macros.load()).generation).toBe(20);
    expect((await macros.load()).macros[0]?.version).toBe(20);
  });

  test("are committed as a whole, or not at all", async () => {
    const rollbackSignal = new Error("rolled back");
    const failing = stage.storage.transaction(async (r) => {
      const inside = new MacroStore(r);
      await inside.put(macroNamed("Report"), 0);
      expect(await generationsOf(r)).toEqual([1, 1]);
      expect((await inside.history("Report", 10)).length).toBe(1);
      throw rollbackSignal;
    });
    await expect(failing).rejects.toBe(rollbackSignal);
    expect(await generationsOf(stage.r)).toEqual([0, 0]);
    expect(await versions("Report")).toEqual([]);
    expect(await loaded()).toEqual([]);

    await stage.storage.transaction(async (r) => {
      const inside = new MacroStore(r);
      await inside.put(macroNamed("Report"), 0);
      await inside.put(macroNamed("Report"), 1);
      await inside.remove("Report", removal);
    });
    expect(await generationsOf(stage.r)).toEqual([3, 3]);
    expect(await versions("Report")).toEqual([3, 2, 1]);
  });

  test("follow a transaction that changes the same macro", async () => {
    const rollbackSignal = new Error("rolled back");
    for (const [name, isKept] of [
      ["TakenBack", false],
      ["Kept", true],
    ] as const) {
      let begin = () => {};
      const started = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const first = stage.storage.transaction(async (r) => {
        await new MacroStore(r).put(macroNamed(name, { text: "first" }), 0);
        begin();
        for (let turn = 0; turn < 50; turn += 1) await r.audit.read(0, 1);
        if (!isKept) throw rollbackSignal;
      });
      const ended = first.catch((error: unknown) => error);
      await started;
      expect(await put(macroNamed(name, { text: "second" }), 0)).toBe(isKept ? "stale" : "stored");
      expect(await ended).toBe(isKept ? undefined : rollbackSignal);
      const kept = (await macros.history(name, 10)).map(({ version, text }) => [version, text]);
      expect(kept).toEqual([[1, isKept ? "first" : "second"]]);
    }
    expect(await generationsOf(stage.r)).toEqual([2, 2]);
  });
});

const outlineOf = ({ version, text, changedBy }: MacroVersion) => [version, text, changedBy];

describe("stored macros", () => {
  let stage: StoreFixture;
  let macros: MacroStore;

  beforeEach(async () => {
    stage = await openStoreFixture();
    macros = new MacroStore(stage.r);
  });

  const put = (macro: NewMacro, expected: number | null) => changesOf(stage.storage).put(macro, expected);
  const remove = (name: string, more: Partial<MacroRemoval> = {}) => changesOf(stage.storage).remove(name, more);
  const names = async () => (await macros.load()).macros.map(({ name }) => name);

  test("are none in a new database", async () => {
    expect(await macros.load()).toEqual({ generation: 0, macros: [] });
    expect(await macros.history("Report", 10)).toEqual([]);
  });

  test("are kept as they were put, dated by the storage's clock", async () => {
    stage.advance(50 * hour);
    const before = await stage.storage.now();
    const input = macroNamed("Report", { language: "ts", text: "" });
    expect(await put(input, null)).toBe("stored");
    const after = await stage.storage.now();
    const loaded = await macros.load();
    const changedAt = loaded.macros[0]?.changedAt ?? 0;
    expect(changedAt).toBeGreaterThanOrEqual(before);
    expect(changedAt).toBeLessThanOrEqual(after);
    const kept = { ...input, version: 1, changedAt };
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

  test("keep hostile texts unchanged, including names", async () => {
    for (const text of hostileTexts) {
      expect(await put(macroNamed(text, { text, changedBy: text }), 0)).toBe("stored");
      const found = (await macros.load()).macros.find(({ name }) => name === text);
      expect(found).toMatchObject({ text, changedBy: text });
      expect((await macros.history(text, 10)).map(outlineOf)).toEqual([[1, text, text]]);
    }
  });

  test("keep long texts and names whole", async () => {
    const text = "\u{1f469}é\n".repeat(65_536);
    const input = macroNamed("N".repeat(128), { text, changedBy: "ü".repeat(255) });
    await put(input, null);
    const [kept] = (await macros.load()).macros;
    expect(kept?.text === text).toBe(true);
    expect([kept?.name, kept?.changedBy]).toEqual([input.name, input.changedBy]);
  });

  test("are listed by name, in the order of code points", async () => {
    for (const name of ["\uffff", "b", "\u{10000}", "B", "a", "a ", "é"])
      expect(await put(macroNamed(name), 0)).toBe("stored");
    expect(await names()).toEqual(["B", "a", "a ", "b", "é", "\uffff", "\u{10000}"]);
    expect((await macros.history("a", 10)).map(({ name }) => name)).toEqual(["a"]);
  });

  test("are all loaded, however many exist", async () => {
    const numbered = (first: number, last: number) =>
      Array.from({ length: last - first }, (_, index) => `Macro ${String(first + index).padStart(3, "0")}`);
    const putAll = (names: readonly string[]) =>
      stage.storage.transaction(async (r) => {
        for (const name of names) await new MacroStore(r).put(macroNamed(name), 0);
      });
    await putAll(numbered(0, 200));
    expect(await names()).toEqual(numbered(0, 200));
    await putAll(numbered(200, 203));
    expect(await names()).toEqual(numbered(0, 203));
  });

  test("are stored version by version, and keep earlier versions", async () => {
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

  test("list their versions in the order of numbers", async () => {
    for (let version = 1; version <= 12; version += 1) await put(macroNamed("Report"), null);
    const versions = (await macros.history("Report", 20)).map(({ version }) => version);
    expect(versions).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect((await macros.history("Report", 2, 11)).map(({ version }) => version)).toEqual([10, 9]);
  });

  test("are gone after their removal, and their history stays", async () => {
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

  test("are refused with an invalid text", async () => {
    for (const text of unstorableTexts) {
      for (const input of [{ name: text }, { text }, { changedBy: text }])
        await expect(put(macroNamed("Report", input), null)).rejects.toMatchObject({ code: 307 });
      expect(await remove(text)).toBe("unknown");
      expect(await macros.history(text, 10)).toEqual([]);
    }
    expect(await macros.load()).toEqual({ generation: 0, macros: [] });
  });

  test("are not removed with an invalid author", async () => {
    await put(macroNamed("Report"), null);
    for (const text of unstorableTexts)
      await expect(remove("Report", { changedBy: text })).rejects.toMatchObject({ code: 307 });
    expect(await names()).toEqual(["Report"]);
    expect((await macros.history("Report", 10)).length).toBe(1);
    expect((await macros.load()).generation).toBe(1);
  });
});

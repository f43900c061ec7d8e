import type { MacroVersion } from "@sallyport/core";
import { equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { macroNamed } from "../../fixtures/macro-named.ts";
import { hour } from "../../fixtures/policy.ts";

const outlineOf = ({ version, text, changedBy }: MacroVersion) => [version, text, changedBy];

export const macroKeepingChecks: readonly Check[] = checksOf("macros", {
  "are none in a new database": async ({ r }) => {
    equal(await r.macros.load(), { generation: 0, macros: [] }, "the macros");
    equal(await r.macros.history("Report", 10), [], "what a macro was");
  },

  "are kept as they were put, dated by the storage's clock": async ({ storage, r, advance }) => {
    advance(50 * hour);
    const before = await storage.now();
    equal(await r.macros.put(macroNamed("Report", { language: "ts", text: "" }), null), "stored", "the outcome");
    const after = await storage.now();
    const { macros } = await r.macros.load();
    const at = macros[0]?.changedAt ?? 0;
    holds(before <= at && at <= after, `A macro put between ${before} and ${after} is dated ${at}`);
    const kept = { ...macroNamed("Report", { language: "ts", text: "" }), version: 1, changedAt: at };
    equal(macros, [kept], "the macros");
    equal(await r.macros.history("Report", 10), [kept], "what the macro was");
  },

  "keep hostile texts as they are, names among them": async ({ r }) => {
    for (const text of hostileTexts) {
      const given = macroNamed(text, { text, changedBy: text });
      equal(await r.macros.put(given, 0), "stored", "the outcome");
      const found = (await r.macros.load()).macros.find(({ name }) => name === text);
      equal([found?.text, found?.changedBy], [text, text], "the texts");
      equal((await r.macros.history(text, 10)).map(outlineOf), [[1, text, text]], "what the macro was");
    }
  },

  "keep long texts and names whole": async ({ r }) => {
    const text = "\u{1f469}é\n".repeat(65_536);
    const given = macroNamed("N".repeat(128), { text, changedBy: "ü".repeat(255) });
    await r.macros.put(given, null);
    const [kept] = (await r.macros.load()).macros;
    holds(kept?.text === text, "A text of 458,752 bytes is not what was put");
    equal([kept.name, kept.changedBy], [given.name, given.changedBy], "the name, and who put it");
  },

  "come by name, in the order of code points, each for itself": async ({ r }) => {
    const names = ["\uffff", "b", "\u{10000}", "B", "a", "a ", "é"];
    for (const name of names) equal(await r.macros.put(macroNamed(name), 0), "stored", `the outcome for ${name}`);
    equal(
      (await r.macros.load()).macros.map(({ name }) => name),
      ["B", "a", "a ", "b", "é", "\uffff", "\u{10000}"],
      "the names",
    );
    equal(
      (await r.macros.history("a", 10)).map(({ name }) => name),
      ["a"],
      "whose history it is",
    );
  },

  "are stored version by version, and what they were is kept": async ({ r }) => {
    await r.macros.put(macroNamed("Other"), null);
    for (const text of ["one", "two", "two", "four"])
      await r.macros.put(macroNamed("Report", { text, changedBy: `by ${text}` }), null);
    const all = [
      [4, "four", "by four"],
      [3, "two", "by two"],
      [2, "two", "by two"],
      [1, "one", "by one"],
    ];
    equal((await r.macros.history("Report", 10)).map(outlineOf), all, "what the macro was");
    equal((await r.macros.history("Report", 2)).map(outlineOf), all.slice(0, 2), "its two latest versions");
    equal((await r.macros.history("Report", 2, 3)).map(outlineOf), all.slice(2), "its versions below the third");
    equal((await r.macros.history("Report", 10, 1)).map(outlineOf), [], "its versions below the first");
    equal(
      (await r.macros.load()).macros.map(({ name, version, text }) => [name, version, text]),
      [
        ["Other", 1, macroNamed("Other").text],
        ["Report", 4, "four"],
      ],
      "the macros",
    );
  },

  "are gone when they were removed, and their history is not": async ({ r }) => {
    await r.macros.put(macroNamed("Report", { text: "one", changedBy: "first" }), null);
    await r.macros.put(macroNamed("Other"), null);
    equal(await r.macros.remove("Report", { changedBy: "second", expectedVersion: null }), "removed", "the removal");
    equal(
      (await r.macros.load()).macros.map(({ name }) => name),
      ["Other"],
      "the macros",
    );
    const [removal, first] = await r.macros.history("Report", 10);
    equal(
      removal,
      {
        name: "Report",
        text: null,
        language: null,
        version: 2,
        changedAt: removal?.changedAt ?? 0,
        changedBy: "second",
      },
      "the removal in the history",
    );
    equal([first?.version, first?.text], [1, "one"], "the version before");
    equal(await r.macros.put(macroNamed("Report", { text: "three" }), 0), "stored", "the same name again");
    equal(
      (await r.macros.history("Report", 10)).map(({ version, text }) => [version, text]),
      [
        [3, "three"],
        [2, null],
        [1, "one"],
      ],
      "what the macro was",
    );
  },

  "are refused with a text that cannot be stored": async ({ r }) => {
    for (const text of unstorableTexts) {
      for (const given of [{ name: text }, { text }, { changedBy: text }]) {
        await failsWith(
          307,
          () => r.macros.put(macroNamed("Report", given), null),
          `a macro with ${JSON.stringify(given)}`,
        );
      }
      await failsWith(
        307,
        () => r.macros.remove("Report", { changedBy: text, expectedVersion: null }),
        `a removal by ${JSON.stringify(text)}`,
      );
      equal(
        await r.macros.remove(text, { changedBy: "somebody", expectedVersion: null }),
        "unknown",
        "the removal of such a name",
      );
      equal(await r.macros.history(text, 10), [], "the history of such a name");
    }
    equal(await r.macros.load(), { generation: 0, macros: [] }, "the macros");
  },
});

import { type Check, checksOf } from "../../check.ts";
import { insertFiles, assertFilter, namesOf, valueOf } from "../../fixtures/query-fixtures.ts";
import { equal, equalInAnyOrder } from "../../assert/index.ts";
import { pseudoRandom } from "../../fixtures/digests.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import type { Repositories, Visibility } from "@sallyport/storage";
import { ascending, contains, like, oneOf } from "./filters.ts";

const path = valueOf("string");
const everything: Visibility = { classes: null, principals: null };

/** Creates files whose values are their names, one file with null and one without a value. */
async function insertTexts(r: Repositories, texts: readonly string[]): Promise<void> {
  const files = texts.map((text) => [text, { Value: text }] as const);
  await insertFiles(r, { "\u0001missing": {}, ...Object.fromEntries(files), "\u0001null": { Value: null } });
}

const texts = ["plan", "Plan", "plans", "a plan", "", "100%", "100 %", "1000", "a_b", "axb", "a\\b", "line\nbreak"];
const astral = ["\u{1f600}", "\u{1f600}\u{1f600}", "e\u0301", "%_\\"];

/** Characters at the edges of the planes, and one of each length in UTF-8. */
const edges = [
  "\u0001",
  "z",
  "\u07ff",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{1f389}",
  "\u{2ffff}",
  "\u{10ffff}",
];

/** Patterns with their matches among the texts. */
const patterns: readonly (readonly [string, readonly string[]])[] = [
  ["plan", ["plan"]],
  ["Plan", ["Plan"]],
  ["%", [...texts, ...astral]],
  ["", [""]],
  ["plan%", ["plan", "plans"]],
  ["%plan", ["plan", "a plan"]],
  ["%lan%", ["plan", "Plan", "plans", "a plan"]],
  ["_lan", ["plan", "Plan"]],
  ["_", ["\u{1f600}"]],
  ["__", ["\u{1f600}\u{1f600}", "e\u0301"]],
  ["___", ["a_b", "axb", "a\\b", "%_\\"]],
  ["100\\%", ["100%"]],
  ["%\\%", ["100%", "100 %"]],
  ["a\\_b", ["a_b"]],
  ["a_b", ["a_b", "axb", "a\\b"]],
  ["a\\\\b", ["a\\b"]],
  ["a\\\\%", ["a\\b"]],
  ["\\p\\l\\a\\n", ["plan"]],
  ["line%", ["line\nbreak"]],
  ["%\nb%", ["line\nbreak"]],
  ["%a%a%", ["a plan"]],
  ["\\%\\_\\\\", ["%_\\"]],
  ["plan%ans", []],
  ["%plan%ans", []],
  ["plan\u0301", []],
  ["[a-z]+", []],
  ["plan.*", []],
];

export const queryTextChecks: readonly Check[] = checksOf("queries", {
  "finds texts by pattern": async ({ r }) => {
    await insertTexts(r, [...texts, ...astral]);
    for (const [pattern, expected] of patterns) await assertFilter(r, like(path, pattern), expected);
  },

  "finds indexed texts of all planes by their beginning": async ({ storage, r }) => {
    await storage.alignIndexes([{ className: "File", attribute: "Value", type: "string" }]);
    const random = pseudoRandom(17);
    const text = (length: number) =>
      Array.from(
        { length },
        () => edges[random(2 * edges.length)] ?? String.fromCodePoint(0x10_000 + random(0xf_ffff)),
      );
    const beginnings = Array.from({ length: 8 }, (_, number) => text(1 + (number % 2)).join(""));
    const endings = ["", ...edges, ...Array.from({ length: 4 }, () => text(2).join(""))];
    const values = new Set(beginnings.flatMap((beginning) => endings.map((ending) => beginning + ending)));
    await insertTexts(r, [...values]);
    for (const beginning of beginnings) {
      const expected = [...values].filter((value) => value.startsWith(beginning));
      const found = await namesOf(r, { filter: like(path, `${beginning}%`) });
      equalInAnyOrder(found, expected, "the texts with the beginning");
    }
  },

  "finds texts by substring": async ({ r }) => {
    await insertTexts(r, ["plan", "Plan", "a_plan", "100%", "a\\b", "", "\u{1f600}x", "e\u0301"]);
    for (const [value, expected] of [
      ["lan", ["plan", "Plan", "a_plan"]],
      ["p", ["plan", "a_plan"]],
      ["_", ["a_plan"]],
      ["%", ["100%"]],
      ["\\", ["a\\b"]],
      ["\u{1f600}", ["\u{1f600}x"]],
      ["\u00e9", []],
      ["plan plan", []],
      ["", ["plan", "Plan", "a_plan", "100%", "a\\b", "", "\u{1f600}x", "e\u0301"]],
    ] as const) {
      await assertFilter(r, contains(path, value), expected);
    }
  },

  "finds long texts by a part after their start": async ({ r }) => {
    const long = `${"l".repeat(3_000)}end`;
    await insertFiles(r, { long: { Value: long }, other: { Value: "l".repeat(3_000) } });
    for (const pattern of ["%end", "l%end", `${long.slice(0, 700)}%end`, long])
      await assertFilter(r, like(path, pattern), ["long"]);
    await assertFilter(r, contains(path, "lend"), ["long"]);
  },

  "treats hostile texts literally": async ({ r }) => {
    await insertTexts(r, hostileTexts);
    for (const text of hostileTexts) {
      await assertFilter(r, oneOf(path, [text]), [text]);
      await assertFilter(r, like(path, text.replaceAll(/[\\%_]/g, "\\$&")), [text]);
      const containing = hostileTexts.filter((each) => each.includes(text));
      await assertFilter(r, contains(path, text), containing);
    }
    await assertFilter(r, oneOf(path, hostileTexts), hostileTexts);
  },

  "finds nothing in classes with hostile names": async ({ r }) => {
    await insertFiles(r, { plan: { Value: "plan" } });
    for (const name of hostileTexts) {
      const query = { classes: [name], filter: oneOf(path, ["plan"]), sort: [ascending(path)] };
      const found = await r.objects.find(query, everything, { offset: 0, limit: 10 });
      equal(found, { objects: [], last: null }, `the objects of ${name}`);
      equal(await r.objects.count(query, everything), 0, `number of objects of ${name}`);
    }
    equal(await namesOf(r, {}), ["plan"], "the remaining objects");
  },
});

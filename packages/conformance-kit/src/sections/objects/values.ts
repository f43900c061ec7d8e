import type { Attributes, JsonValue, Repositories } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { createObject, objectOf } from "../../fixtures/objects.ts";

/** Asserts that attributes are returned unchanged, by the creation and by a read. */
async function keeps(r: Repositories, attributes: Attributes, what: string): Promise<void> {
  const created = await createObject(r, { attributes });
  equal(created.attributes, attributes, `${what}, created`);
  equal((await objectOf(r, created.id))?.attributes, attributes, `${what}, read`);
}

function nested(depth: number): JsonValue {
  return depth === 0 ? "core" : { level: depth, inside: [nested(depth - 1)] };
}

export const objectValueChecks: readonly Check[] = checksOf("objects", {
  "stores texts in every script": async ({ r }) => {
    const codePoints = ["\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", "e\u0301", "\u00e9", "\u{10ffff}", "\uffff"];
    const texts = ["Größe", "日本語", "עברית", "हिन्दी", ...codePoints];
    await keeps(r, Object.fromEntries(texts.map((text, index) => [`a${index}`, text])), "the texts");
    await keeps(r, Object.fromEntries(texts.map((text) => [text, text])), "the texts as names");
  },

  "stores hostile texts as values and as names": async ({ r }) => {
    await keeps(r, { list: hostileTexts }, "the list");
    await keeps(r, Object.fromEntries(hostileTexts.map((text, index) => [`a${index}`, text])), "the values");
    const named = Object.fromEntries(hostileTexts.map((text) => [text, { [text]: text }]));
    await keeps(r, JSON.parse(JSON.stringify(named)) as Attributes, "the names");
  },

  "stores numbers without loss of precision": async ({ r }) => {
    const plain = [0, 1, -1, 0.1, -0.1, 1 / 3, 123_456_789.123_456_78];
    const whole = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53, 2 ** 64];
    const large = [1e21, Number.MAX_VALUE, -Number.MAX_VALUE];
    const small = [1e-7, Number.EPSILON, 2.225_073_858_507_201_4e-308, 5e-324];
    for (const value of [...plain, ...whole, ...large, ...small])
      await keeps(r, { value, list: [value] }, `the number ${value}`);
  },

  "distinguishes empty, null and absent values": async ({ r }) => {
    await keeps(r, {}, "no attributes");
    await keeps(r, { text: "", nothing: null, list: [], record: {}, no: false, zero: 0 }, "the empty values");
    await keeps(r, { list: ["", null, [], {}, false, 0], record: { nothing: null } }, "nested empty values");
    const { attributes } = await createObject(r, { attributes: { Name: null } });
    isTrue(Object.hasOwn(attributes, "Name"), "An attribute that is null must exist");
    isTrue(!Object.hasOwn(attributes, "Other"), "An attribute that was never set must be absent");
  },

  "distinguishes values from texts that look like them": async ({ r }) => {
    const texts = { number: "1", no: "false", nothing: "null", list: "[1]", record: '{"a":1}', quoted: '"a"' };
    const dates = { date: "2024-02-29T12:00:00Z", day: "2024-02-29", time: "20240229T120000+01:00" };
    await keeps(r, texts, "the texts");
    await keeps(r, { ...dates, big: "9007199254740993" }, "the dates");
  },

  "stores nested values": async ({ r }) => {
    await keeps(r, { deep: nested(15) }, "a deep value");
    await keeps(r, { list: [[[]], [[1, [2, [3]]]], { a: [{ b: [{ c: [] }] }] }] }, "lists in lists");
    await keeps(r, { order: [3, 1, 2, 3, 1], mixed: [1, "1", true, null, [1], { one: 1 }] }, "the order of a list");
  },

  "stores large values completely": async ({ r }) => {
    await keeps(r, { text: "größe ".repeat(50_000) }, "a text of 300,000 characters");
    await keeps(r, { list: Array.from({ length: 10_000 }, (_, index) => index) }, "a list of 10,000 numbers");
    const many = Array.from({ length: 1_000 }, (_, index) => [`attribute${index}`, `value ${index}`] as const);
    await keeps(r, Object.fromEntries(many), "1,000 attributes");
  },

  "copies given values on write": async ({ r }) => {
    const attributes = { list: [1, 2], record: { a: 1 } };
    const readers = ["A1"];
    const inserting = r.objects.insert([{ className: "File", attributes, readers }]);
    attributes.list.push(3);
    attributes.record.a = 2;
    readers.push("B2");
    const [created] = await inserting;
    attributes.list.push(4);
    const read = await objectOf(r, created?.id ?? "");
    equal(
      [read?.attributes, read?.readers],
      [{ list: [1, 2], record: { a: 1 } }, ["A1"]],
      "the attributes and readers",
    );
  },

  "copies stored values on read": async ({ r }) => {
    const created = await createObject(r, { attributes: { list: [1, 2] } });
    const read = await objectOf(r, created.id);
    for (const object of [created, read]) {
      try {
        (object?.attributes["list"] as number[] | undefined)?.push(3);
      } catch {
        // A frozen value is as safe as a copy.
      }
    }
    equal((await objectOf(r, created.id))?.attributes, { list: [1, 2] }, "the attributes");
  },
});

import type { Attributes, Filter, ObjectId, Repositories, ValuePath } from "@sallyport/storage";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, assertFilter, not, valueOf } from "../../fixtures/query-fixtures.ts";
import { all, any, compare, contains, empty, like, oneOf, ownPath, present } from "./filters.ts";

const oneHop = valueOf("string", "To");
const twoHops = valueOf("string", "To", "To");
const reference: ValuePath = ownPath("To", "reference");

/** References without a target, by the name of their file. */
const nowhere: Readonly<Record<string, Attributes>> = {
  "without reference": {},
  "null reference": { To: null },
  "to nothing": { To: "ZZZZZZZZZZ" },
  "to no id": { To: "0" },
  "to another spelling": { To: "a1" },
  "to a word": { To: "constructor" },
  "to a list": { To: ["1"] },
};

/** Files with a reference to a target whose value is set, null and missing. */
const leads = ["to a value", "to null", "to none"];

/** Creates these files and the files without a target. Returns the ids of the targets with and without a value. */
async function insertReferences(r: Repositories): Promise<{ readonly value: ObjectId; readonly none: ObjectId }> {
  const targets = await r.objects.insert(
    [{ Value: "found" }, { Value: null }, {}].map((attributes) => ({ className: "Image", attributes })),
  );
  const [value = "", nothing = "", none = ""] = targets.map(({ id }) => id);
  await insertFiles(r, {
    "to a value": { To: value },
    "to null": { To: nothing },
    "to none": { To: none },
    ...nowhere,
  });
  return { value, none };
}

const is = (path: ValuePath, value: string): Filter => oneOf(path, [value]);

export const queryPathChecks: readonly Check[] = checksOf("queries", {
  "follows a reference to a value": async ({ r }) => {
    await insertReferences(r);
    await assertFilter(r, is(oneHop, "found"), ["to a value"]);
    await assertFilter(r, is(oneHop, "lost"), []);
    await assertFilter(r, compare(oneHop, "lt", "g"), ["to a value"]);
    await assertFilter(r, like(oneHop, "f%"), ["to a value"]);
    await assertFilter(r, contains(oneHop, "oun"), ["to a value"]);
  },

  "treats values behind unresolved references as missing": async ({ r }) => {
    await insertReferences(r);
    await assertFilter(r, present(oneHop), ["to a value", "to null"]);
    await assertFilter(r, empty(oneHop), ["to null", "to none", ...Object.keys(nowhere)]);
  },

  "follows several references": async ({ r }) => {
    const { value } = await insertReferences(r);
    const files = await insertFiles(r, { "first way": { To: value }, "dead end": { To: "ZZZZZZZZZZ" } });
    const [way = "", end = ""] = files;
    const [circle = ""] = await insertFiles(r, { "second way": { To: way }, "to the dead end": { To: end } });
    await insertFiles(r, { "third way": { To: circle } });
    await assertFilter(r, is(twoHops, "found"), ["second way"]);
    await assertFilter(r, is(valueOf("string", "To", "To", "To"), "found"), ["third way"]);
    await assertFilter(r, present(twoHops), ["second way"]);
    const { filter } = not(empty(twoHops)) as Extract<Filter, { kind: "not" }>;
    await assertFilter(r, not(filter), ["second way"]);
  },

  "follows a reference to the object itself": async ({ r }) => {
    const [id = ""] = await insertFiles(r, { other: { Value: "self" } });
    const next = (Number.parseInt(id, 36) + 1).toString(36).toUpperCase();
    const [self] = await insertFiles(r, { self: { To: next, Value: "self" } });
    await assertFilter(r, is(valueOf("string", "To", "To", "To", "To"), "self"), self === next ? ["self"] : []);
  },

  "follows references inside combined filters": async ({ r }) => {
    await insertReferences(r);
    await assertFilter(r, any(is(oneHop, "found"), not(present(oneHop))), [
      "to a value",
      "to none",
      ...Object.keys(nowhere),
    ]);
    await assertFilter(r, all(is(oneHop, "found"), is(oneHop, "found"), is(twoHops, "found")), []);
  },

  "reaches meta-fields and references through references": async ({ r }) => {
    const { value } = await insertReferences(r);
    const at = (leaf: string, type: ValuePath["type"]): ValuePath => ({ hops: oneHop.hops, leaf, type });
    await assertFilter(r, is(at("~ObjectID", "id"), value), ["to a value"]);
    await assertFilter(r, is(at("~ClassName", "class"), "Image"), leads);
    await assertFilter(r, present(at("~UUID", "uuid")), leads);
    await assertFilter(r, empty(at("~StoreTime", "time")), Object.keys(nowhere));
    await assertFilter(r, compare(at("~StoreTime", "time"), "gt", 0), leads);
    const [way = ""] = await insertFiles(r, { way: { To: value } });
    await insertFiles(r, { further: { To: way } });
    await assertFilter(r, is(at("To", "reference"), value), ["further"]);
    await assertFilter(r, not(empty(at("To", "reference"))), ["further"]);
  },

  "follows a reference to objects of the given classes only": async ({ r }) => {
    await insertReferences(r);
    const only = (...classes: string[]): ValuePath => ({ ...oneHop, hops: [{ reference: "To", classes }] });
    await assertFilter(r, is(only("Image"), "found"), ["to a value"]);
    await assertFilter(r, is(only("Image", "Nothing"), "found"), ["to a value"]);
    for (const classes of [["File"], ["User", "File"], ["image"], []]) {
      await assertFilter(r, is(only(...classes), "found"), []);
      await assertFilter(r, empty(only(...classes)), [...leads, ...Object.keys(nowhere)]);
    }
  },

  "finds references by their target": async ({ r }) => {
    const { value, none } = await insertReferences(r);
    for (const type of ["reference", "file"] as const) {
      const path: ValuePath = { ...reference, type };
      await assertFilter(r, oneOf(path, [value]), ["to a value"]);
      await assertFilter(r, oneOf(path, [value, none, "ZZZZZZZZZ"]), ["to a value", "to none"]);
      await assertFilter(r, oneOf(path, []), []);
    }
  },

  "treats unresolved references as empty": async ({ r }) => {
    await insertReferences(r);
    for (const type of ["reference", "file"] as const) {
      const path: ValuePath = { ...reference, type };
      await assertFilter(r, empty(path), Object.keys(nowhere));
      const there = Object.keys(nowhere).filter((name) => name !== "without reference");
      await assertFilter(r, present(path), [...leads, ...there]);
    }
  },

  "finds collections by their members": async ({ r }) => {
    const path = valueOf("collection");
    await insertFiles(r, {
      none: { Value: [] },
      one: { Value: ["A1"] },
      several: { Value: ["B2", "A1"] },
      longer: { Value: ["A12", "1"] },
      missing: {},
      null: { Value: null },
    });
    await assertFilter(r, contains(path, "A1"), ["one", "several"]);
    await assertFilter(r, contains(path, "1"), ["longer"]);
    await assertFilter(r, contains(path, "ZZ"), []);
  },
});

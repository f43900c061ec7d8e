import type { Attributes, Filter, ObjectId, Repositories, ValuePath } from "@sallyport/storage";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, filterMatches, not, valueOf } from "../../fixtures/query-fixtures.ts";
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
    await filterMatches(r, is(oneHop, "found"), ["to a value"]);
    await filterMatches(r, is(oneHop, "lost"), []);
    await filterMatches(r, compare(oneHop, "lt", "g"), ["to a value"]);
    await filterMatches(r, like(oneHop, "f%"), ["to a value"]);
    await filterMatches(r, contains(oneHop, "oun"), ["to a value"]);
  },

  "treats values behind unresolved references as missing": async ({ r }) => {
    await insertReferences(r);
    await filterMatches(r, present(oneHop), ["to a value", "to null"]);
    await filterMatches(r, empty(oneHop), ["to null", "to none", ...Object.keys(nowhere)]);
  },

  "follows several references": async ({ r }) => {
    const { value } = await insertReferences(r);
    const files = await insertFiles(r, { "first way": { To: value }, "dead end": { To: "ZZZZZZZZZZ" } });
    const [way = "", end = ""] = files;
    const [circle = ""] = await insertFiles(r, { "second way": { To: way }, "to the dead end": { To: end } });
    await insertFiles(r, { "third way": { To: circle } });
    await filterMatches(r, is(twoHops, "found"), ["second way"]);
    await filterMatches(r, is(valueOf("string", "To", "To", "To"), "found"), ["third way"]);
    await filterMatches(r, present(twoHops), ["second way"]);
    const { filter } = not(empty(twoHops)) as Extract<Filter, { kind: "not" }>;
    await filterMatches(r, not(filter), ["second way"]);
  },

  "follows a reference to the object itself": async ({ r }) => {
    const [id = ""] = await insertFiles(r, { other: { Value: "self" } });
    const next = (Number.parseInt(id, 36) + 1).toString(36).toUpperCase();
    const [self] = await insertFiles(r, { self: { To: next, Value: "self" } });
    await filterMatches(r, is(valueOf("string", "To", "To", "To", "To"), "self"), self === next ? ["self"] : []);
  },

  "follows references inside combined filters": async ({ r }) => {
    await insertReferences(r);
    await filterMatches(r, any(is(oneHop, "found"), not(present(oneHop))), [
      "to a value",
      "to none",
      ...Object.keys(nowhere),
    ]);
    await filterMatches(r, all(is(oneHop, "found"), is(oneHop, "found"), is(twoHops, "found")), []);
  },

  "reaches meta-fields and references through references": async ({ r }) => {
    const { value } = await insertReferences(r);
    const at = (leaf: string, type: ValuePath["type"]): ValuePath => ({ hops: oneHop.hops, leaf, type });
    await filterMatches(r, is(at("~ObjectID", "id"), value), ["to a value"]);
    await filterMatches(r, is(at("~ClassName", "class"), "Image"), leads);
    await filterMatches(r, present(at("~UUID", "uuid")), leads);
    await filterMatches(r, empty(at("~StoreTime", "time")), Object.keys(nowhere));
    await filterMatches(r, compare(at("~StoreTime", "time"), "gt", 0), leads);
    const [way = ""] = await insertFiles(r, { way: { To: value } });
    await insertFiles(r, { further: { To: way } });
    await filterMatches(r, is(at("To", "reference"), value), ["further"]);
    await filterMatches(r, not(empty(at("To", "reference"))), ["further"]);
  },

  "follows a reference to objects of the given classes only": async ({ r }) => {
    await insertReferences(r);
    const only = (...classes: string[]): ValuePath => ({ ...oneHop, hops: [{ reference: "To", classes }] });
    await filterMatches(r, is(only("Image"), "found"), ["to a value"]);
    await filterMatches(r, is(only("Image", "Nothing"), "found"), ["to a value"]);
    for (const classes of [["File"], ["User", "File"], ["image"], []]) {
      await filterMatches(r, is(only(...classes), "found"), []);
      await filterMatches(r, empty(only(...classes)), [...leads, ...Object.keys(nowhere)]);
    }
  },

  "finds references by their target": async ({ r }) => {
    const { value, none } = await insertReferences(r);
    for (const type of ["reference", "file"] as const) {
      const path: ValuePath = { ...reference, type };
      await filterMatches(r, oneOf(path, [value]), ["to a value"]);
      await filterMatches(r, oneOf(path, [value, none, "ZZZZZZZZZ"]), ["to a value", "to none"]);
      await filterMatches(r, oneOf(path, []), []);
    }
  },

  "treats unresolved references as empty": async ({ r }) => {
    await insertReferences(r);
    for (const type of ["reference", "file"] as const) {
      const path: ValuePath = { ...reference, type };
      await filterMatches(r, empty(path), Object.keys(nowhere));
      const there = Object.keys(nowhere).filter((name) => name !== "without reference");
      await filterMatches(r, present(path), [...leads, ...there]);
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
    await filterMatches(r, contains(path, "A1"), ["one", "several"]);
    await filterMatches(r, contains(path, "1"), ["longer"]);
    await filterMatches(r, contains(path, "ZZ"), []);
  },
});

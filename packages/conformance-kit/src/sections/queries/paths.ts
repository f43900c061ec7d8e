import type { Attributes, Filter, ObjectId, Repositories, ValuePath } from "@sallyport/core";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, isTrueOf, not, valueOf } from "../../fixtures/asking.ts";

const oneHop = valueOf("string", "To");
const twoHops = valueOf("string", "To", "To");
const reference: ValuePath = { hops: [], leaf: "To", type: "reference" };

/** What a reference is that leads nowhere, by the name of the file that has it. */
const nowhere: Readonly<Record<string, Attributes>> = {
  "without reference": {},
  "null reference": { To: null },
  "to nothing": { To: "ZZZZZZZZZZ" },
  "to no id": { To: "0" },
  "to another spelling": { To: "a1" },
  "to a word": { To: "constructor" },
  "to a list": { To: ["1"] },
};

interface Targets {
  readonly value: ObjectId;
  readonly null: ObjectId;
  readonly none: ObjectId;
}

/** Files that lead to a value, to null and to none, and files that lead nowhere. */
async function insertReferences(r: Repositories): Promise<Targets> {
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
  return { value, null: nothing, none };
}

const is = (path: ValuePath, value: string): Filter => ({ kind: "oneOf", path, values: [value] });

export const queryPathChecks: readonly Check[] = checksOf("queries", {
  "follow a reference to a value": async ({ r }) => {
    await insertReferences(r);
    await isTrueOf(r, is(oneHop, "found"), ["to a value"]);
    await isTrueOf(r, is(oneHop, "lost"), []);
    await isTrueOf(r, { kind: "compare", path: oneHop, operator: "lt", value: "g" }, ["to a value"]);
    await isTrueOf(r, { kind: "like", path: oneHop, pattern: "f%" }, ["to a value"]);
    await isTrueOf(r, { kind: "contains", path: oneHop, value: "oun" }, ["to a value"]);
  },

  "take for missing what a reference does not lead to": async ({ r }) => {
    await insertReferences(r);
    await isTrueOf(r, { kind: "present", path: oneHop }, ["to a value", "to null"]);
    await isTrueOf(r, { kind: "empty", path: oneHop }, ["to null", "to none", ...Object.keys(nowhere)]);
  },

  "follow several references": async ({ r }) => {
    const { value } = await insertReferences(r);
    const files = await insertFiles(r, { "first way": { To: value }, "dead end": { To: "ZZZZZZZZZZ" } });
    const [way = "", end = ""] = files;
    const [circle = ""] = await insertFiles(r, { "second way": { To: way }, "to the dead end": { To: end } });
    await insertFiles(r, { "third way": { To: circle } });
    await isTrueOf(r, is(twoHops, "found"), ["second way"]);
    await isTrueOf(r, is(valueOf("string", "To", "To", "To"), "found"), ["third way"]);
    await isTrueOf(r, { kind: "present", path: twoHops }, ["second way"]);
    const { filter } = not({ kind: "empty", path: twoHops }) as Extract<Filter, { kind: "not" }>;
    await isTrueOf(r, not(filter), ["second way"]);
  },

  "follow a reference to the object itself": async ({ r }) => {
    const [id = ""] = await insertFiles(r, { other: { Value: "self" } });
    const next = (Number.parseInt(id, 36) + 1).toString(36).toUpperCase();
    const [self] = await insertFiles(r, { self: { To: next, Value: "self" } });
    await isTrueOf(r, is(valueOf("string", "To", "To", "To", "To"), "self"), self === next ? ["self"] : []);
  },

  "follow references inside of combined filters": async ({ r }) => {
    await insertReferences(r);
    const lost: Filter = {
      kind: "any",
      filters: [is(oneHop, "found"), { kind: "not", filter: { kind: "present", path: oneHop } }],
    };
    await isTrueOf(r, lost, ["to a value", "to none", ...Object.keys(nowhere)]);
    await isTrueOf(r, { kind: "all", filters: [is(oneHop, "found"), is(oneHop, "found"), is(twoHops, "found")] }, []);
  },

  "reach meta-fields and other references through references": async ({ r }) => {
    const { value } = await insertReferences(r);
    const leads = ["to a value", "to null", "to none"];
    const at = (leaf: string, type: ValuePath["type"]): ValuePath => ({ hops: oneHop.hops, leaf, type });
    await isTrueOf(r, is(at("~ObjectID", "id"), value), ["to a value"]);
    await isTrueOf(r, is(at("~ClassName", "class"), "Image"), leads);
    await isTrueOf(r, { kind: "present", path: at("~UUID", "uuid") }, leads);
    await isTrueOf(r, { kind: "empty", path: at("~StoreTime", "time") }, Object.keys(nowhere));
    await isTrueOf(r, { kind: "compare", path: at("~StoreTime", "time"), operator: "gt", value: 0 }, leads);
    const [way = ""] = await insertFiles(r, { way: { To: value } });
    await insertFiles(r, { further: { To: way } });
    await isTrueOf(r, is(at("To", "reference"), value), ["further"]);
    await isTrueOf(r, not({ kind: "empty", path: at("To", "reference") }), ["further"]);
  },

  "follow a reference to objects of its classes only": async ({ r }) => {
    await insertReferences(r);
    const only = (...classes: string[]): ValuePath => ({ ...oneHop, hops: [{ reference: "To", classes }] });
    await isTrueOf(r, is(only("Image"), "found"), ["to a value"]);
    await isTrueOf(r, is(only("Image", "Nothing"), "found"), ["to a value"]);
    for (const classes of [["File"], ["User", "File"], ["image"], []]) {
      await isTrueOf(r, is(only(...classes), "found"), []);
      await isTrueOf(r, { kind: "empty", path: only(...classes) }, [
        "to a value",
        "to null",
        "to none",
        ...Object.keys(nowhere),
      ]);
    }
  },

  "find references by what they lead to": async ({ r }) => {
    const { value, none } = await insertReferences(r);
    for (const type of ["reference", "file"] as const) {
      const path: ValuePath = { ...reference, type };
      await isTrueOf(r, { kind: "oneOf", path, values: [value] }, ["to a value"]);
      await isTrueOf(r, { kind: "oneOf", path, values: [value, none, "ZZZZZZZZZ"] }, ["to a value", "to none"]);
      await isTrueOf(r, { kind: "oneOf", path, values: [] }, []);
    }
  },

  "take references that lead nowhere for empty": async ({ r }) => {
    await insertReferences(r);
    for (const type of ["reference", "file"] as const) {
      const path: ValuePath = { ...reference, type };
      await isTrueOf(r, { kind: "empty", path }, Object.keys(nowhere));
      const there = Object.keys(nowhere).filter((name) => name !== "without reference");
      await isTrueOf(r, { kind: "present", path }, ["to a value", "to null", "to none", ...there]);
    }
  },

  "find collections by their members": async ({ r }) => {
    const path = valueOf("collection");
    await insertFiles(r, {
      none: { Value: [] },
      one: { Value: ["A1"] },
      several: { Value: ["B2", "A1"] },
      longer: { Value: ["A12", "1"] },
      missing: {},
      null: { Value: null },
    });
    await isTrueOf(r, { kind: "contains", path, value: "A1" }, ["one", "several"]);
    await isTrueOf(r, { kind: "contains", path, value: "1" }, ["longer"]);
    await isTrueOf(r, { kind: "contains", path, value: "ZZ" }, []);
  },
});

import { type Comparison, type Filter, objectNumber, seesAll, type ValuePath } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, isTrueOf, namesOf, not } from "../../fixtures/asking.ts";
import { hour } from "../../fixtures/policy.ts";

const id: ValuePath = { hops: [], leaf: "~ObjectID", type: "id" };
const uuid: ValuePath = { hops: [], leaf: "~UUID", type: "uuid" };
const className: ValuePath = { hops: [], leaf: "~ClassName", type: "class" };
const time: ValuePath = { hops: [], leaf: "~StoreTime", type: "time" };

const compare = (path: ValuePath, operator: Comparison, value: string | number): Filter => ({
  kind: "compare",
  path,
  operator,
  value,
});

export const queryMetaFieldChecks: readonly Check[] = checksOf("queries", {
  "find objects by their ids, which are ordered by number": async ({ r }) => {
    const names = Array.from({ length: 45 }, (_, index) => `file ${index}`);
    const ids = await insertFiles(r, Object.fromEntries(names.map((name) => [name, {}])));
    const [middle = ""] = ids.slice(20, 21);
    const nameOf = (each: string) => names[ids.indexOf(each)] ?? "";
    await isTrueOf(r, { kind: "oneOf", path: id, values: [middle, "ZZZZZZZZZZ", ids[0] ?? ""] }, [
      nameOf(middle),
      "file 0",
    ]);
    await isTrueOf(r, { kind: "oneOf", path: id, values: ["ZZZZZZZZZZ"] }, []);
    await isTrueOf(
      r,
      compare(id, "gt", middle),
      ids.filter((each) => objectNumber(each) > objectNumber(middle)).map(nameOf),
    );
    await isTrueOf(
      r,
      compare(id, "lte", middle),
      ids.filter((each) => objectNumber(each) <= objectNumber(middle)).map(nameOf),
    );
    await isTrueOf(r, compare(id, "lt", "ZZZZZZZZZZ"), names);
    equal(
      await namesOf(r, { sort: [{ path: id, descending: true }] }),
      names.toReversed(),
      "the names by descending id",
    );
  },

  "find objects by their UUIDs, which are ordered as they are written": async ({ r }) => {
    const uuids = [
      "0f8fad5b-d9cb-469f-a165-70867728950e",
      "9f8fad5b-d9cb-469f-a165-70867728950e",
      "af8fad5b-d9cb-469f-a165-70867728950e",
    ];
    await r.objects.insert(
      [1, 0, 2].map((index) => ({ className: "File", attributes: { Name: `${index}` }, uuid: uuids[index] ?? "" })),
    );
    await isTrueOf(r, { kind: "oneOf", path: uuid, values: [uuids[1] ?? "", "00000000-0000-4000-8000-000000000000"] }, [
      "1",
    ]);
    await isTrueOf(r, compare(uuid, "gt", uuids[0] ?? ""), ["1", "2"]);
    await isTrueOf(r, compare(uuid, "lte", uuids[1] ?? ""), ["0", "1"]);
    equal(await namesOf(r, { sort: [{ path: uuid, descending: false }] }), ["0", "1", "2"], "the names by UUID");
  },

  "find objects by their classes": async ({ r }) => {
    await r.objects.insert(["User", "File", "Image"].map((name) => ({ className: name, attributes: {} })));
    const classes = ["Image", "User", "File"];
    const found = async (filter: Filter) => {
      const { objects } = await r.objects.find(
        { classes, filter, sort: [{ path: className, descending: false }] },
        seesAll,
        { offset: 0, limit: 10 },
      );
      return objects.map((object) => object.className);
    };
    equal(
      await found({ kind: "oneOf", path: className, values: ["File", "Nothing", "image"] }),
      ["File"],
      "the classes among these",
    );
    equal(await found(compare(className, "gt", "File")), ["Image", "User"], "the classes behind File");
    equal(
      await found({ kind: "like", path: className, pattern: "%e%" }),
      ["File", "Image", "User"],
      "the classes like a pattern",
    );
    equal(await found({ kind: "contains", path: className, value: "mag" }), ["Image"], "the classes with a part");
    equal(
      await found(not({ kind: "oneOf", path: className, values: ["File"] })),
      ["Image", "User"],
      "the other classes",
    );
  },

  "find objects by the time of their last write": async ({ r, advance }) => {
    const times: number[] = [];
    for (const name of ["first", "second", "third"]) {
      const [object] = await r.objects.insert([{ className: "File", attributes: { Name: name } }]);
      times.push(object?.storedAt ?? 0);
      advance(hour);
    }
    const [first = 0, second = 0, third = 0] = times;
    holds(first < second && second < third, "Later objects have later times");
    await isTrueOf(r, compare(time, "gte", second), ["second", "third"]);
    await isTrueOf(r, compare(time, "gt", second), ["third"]);
    await isTrueOf(r, compare(time, "lt", second), ["first"]);
    await isTrueOf(r, compare(time, "lt", second + 1), ["first", "second"]);
    await isTrueOf(r, compare(time, "lte", second - 1), ["first"]);
    await isTrueOf(r, { kind: "oneOf", path: time, values: [first, third, third + 1] }, ["first", "third"]);
    equal(
      await namesOf(r, { sort: [{ path: time, descending: true }] }),
      ["third", "second", "first"],
      "the names, the latest first",
    );
  },

  "know that meta-fields are always there": async ({ r }) => {
    await insertFiles(r, { plan: {} });
    for (const path of [id, uuid, className, time]) {
      await isTrueOf(r, { kind: "present", path }, ["plan"]);
      await isTrueOf(r, { kind: "empty", path }, []);
    }
  },

  "tell meta-fields from attributes of the same name": async ({ r }) => {
    await insertFiles(r, { plan: { "~ClassName": "Image", "~ObjectID": "ZZZZZZZZZZ", "~StoreTime": 1 } });
    await isTrueOf(r, { kind: "oneOf", path: className, values: ["Image"] }, []);
    await isTrueOf(r, { kind: "oneOf", path: id, values: ["ZZZZZZZZZZ"] }, []);
    await isTrueOf(r, compare(time, "lte", 1), []);
  },
});

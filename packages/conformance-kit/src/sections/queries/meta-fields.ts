import { type Filter, objectNumber, seesAll, type ValuePath } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, assertFilter, not } from "../../fixtures/query-fixtures.ts";
import { pluck } from "../../fixtures/lists.ts";
import { hour } from "../../fixtures/policy.ts";
import {
  assertSorted,
  ascending,
  compare,
  contains,
  descending,
  empty,
  like,
  oneOf,
  ownPath,
  present,
} from "./filters.ts";

const id: ValuePath = ownPath("~ObjectID", "id");
const uuid: ValuePath = ownPath("~UUID", "uuid");
const className: ValuePath = ownPath("~ClassName", "class");
const time: ValuePath = ownPath("~StoreTime", "time");

export const queryMetaFieldChecks: readonly Check[] = checksOf("queries", {
  "finds and compares objects by ID in numeric order": async ({ r }) => {
    const names = Array.from({ length: 45 }, (_, index) => `file ${index}`);
    const ids = await insertFiles(r, Object.fromEntries(names.map((name) => [name, {}])));
    const [middle = ""] = ids.slice(20, 21);
    const nameOf = (each: string) => names[ids.indexOf(each)] ?? "";
    await assertFilter(r, oneOf(id, [middle, "ZZZZZZZZZZ", ids[0] ?? ""]), [nameOf(middle), "file 0"]);
    await assertFilter(r, oneOf(id, ["ZZZZZZZZZZ"]), []);
    const above = ids.filter((each) => objectNumber(each) > objectNumber(middle)).map(nameOf);
    await assertFilter(r, compare(id, "gt", middle), above);
    const others = names.filter((name) => !above.includes(name));
    await assertFilter(r, compare(id, "lte", middle), others);
    await assertFilter(r, compare(id, "lt", "ZZZZZZZZZZ"), names);
    await assertSorted(r, [descending(id)], names.toReversed());
  },

  "finds and compares objects by UUID as text": async ({ r }) => {
    const uuids = [
      "0f8fad5b-d9cb-469f-a165-70867728950e",
      "9f8fad5b-d9cb-469f-a165-70867728950e",
      "af8fad5b-d9cb-469f-a165-70867728950e",
    ];
    await r.objects.insert(
      [1, 0, 2].map((index) => ({ className: "File", attributes: { Name: `${index}` }, uuid: uuids[index] ?? "" })),
    );
    await assertFilter(r, oneOf(uuid, [uuids[1] ?? "", "00000000-0000-4000-8000-000000000000"]), ["1"]);
    await assertFilter(r, compare(uuid, "gt", uuids[0] ?? ""), ["1", "2"]);
    await assertFilter(r, compare(uuid, "lte", uuids[1] ?? ""), ["0", "1"]);
    await assertSorted(r, [ascending(uuid)], ["0", "1", "2"]);
  },

  "finds objects by class": async ({ r }) => {
    await r.objects.insert(["User", "File", "Image"].map((name) => ({ className: name, attributes: {} })));
    const classes = ["Image", "User", "File"];
    const found = async (filter: Filter) => {
      const query = { classes, filter, sort: [ascending(className)] };
      return pluck((await r.objects.find(query, seesAll, { offset: 0, limit: 10 })).objects, "className");
    };
    equal(await found(oneOf(className, ["File", "Nothing", "image"])), ["File"], "the classes in a list");
    equal(await found(compare(className, "gt", "File")), ["Image", "User"], "the classes after File");
    equal(await found(like(className, "%e%")), ["File", "Image", "User"], "the classes that match a pattern");
    equal(await found(contains(className, "mag")), ["Image"], "the classes that contain a text");
    equal(await found(not(oneOf(className, ["File"]))), ["Image", "User"], "the other classes");
  },

  "finds objects by the time of their last write": async ({ r, advance }) => {
    const times: number[] = [];
    for (const name of ["first", "second", "third"]) {
      const [object] = await r.objects.insert([{ className: "File", attributes: { Name: name } }]);
      times.push(object?.storedAt ?? 0);
      advance(hour);
    }
    const [first = 0, second = 0, third = 0] = times;
    isTrue(first < second && second < third, "Later objects must have later times");
    await assertFilter(r, compare(time, "gte", second), ["second", "third"]);
    await assertFilter(r, compare(time, "gt", second), ["third"]);
    await assertFilter(r, compare(time, "lt", second), ["first"]);
    await assertFilter(r, compare(time, "lt", second + 1), ["first", "second"]);
    await assertFilter(r, compare(time, "lte", second - 1), ["first"]);
    await assertFilter(r, oneOf(time, [first, third, third + 1]), ["first", "third"]);
    await assertSorted(r, [descending(time)], ["third", "second", "first"]);
  },

  "treats meta-fields as always present": async ({ r }) => {
    await insertFiles(r, { plan: {} });
    for (const path of [id, uuid, className, time]) {
      await assertFilter(r, present(path), ["plan"]);
      await assertFilter(r, empty(path), []);
    }
  },

  "distinguishes meta-fields from attributes with the same name": async ({ r }) => {
    await insertFiles(r, { plan: { "~ClassName": "Image", "~ObjectID": "ZZZZZZZZZZ", "~StoreTime": 1 } });
    await assertFilter(r, oneOf(className, ["Image"]), []);
    await assertFilter(r, oneOf(id, ["ZZZZZZZZZZ"]), []);
    await assertFilter(r, compare(time, "lte", 1), []);
  },
});

import type { Filter, ObjectQuery, Repositories, SortKey, ValuePath, Visibility } from "@sallyport/core";
import { equal } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, isTrueOf, namesOf, valueOf } from "../../fixtures/asking.ts";

/** Files that lead to an image that everybody may read, to one for A1 alone, to one for nobody, and to a user. */
async function insertGuarded(r: Repositories): Promise<void> {
  const targets = await r.objects.insert([
    { className: "Image", attributes: { Value: "b" } },
    { className: "Image", attributes: { Value: "a" }, readers: ["A1"] },
    { className: "Image", attributes: { Value: "a" }, readers: [] },
    { className: "User", attributes: { Value: "a" } },
  ]);
  const [open = "", restricted = "", closed = "", user = ""] = targets.map(({ id }) => id);
  const files = await insertFiles(r, {
    open: { To: open },
    restricted: { To: restricted },
    closed: { To: closed },
    user: { To: user },
  });
  const names = ["open", "restricted", "closed", "user"];
  await insertFiles(r, Object.fromEntries(files.map((id, index) => [`behind ${names[index]}`, { To: id, Way: id }])));
}

const readers: Visibility = { classes: new Set(["File", "Image"]), principals: new Set(["B2", "A1"]) };
const others: Visibility = { classes: new Set(["File", "Image"]), principals: new Set(["B2"]) };
const everything: Visibility = { classes: null, principals: null };

const path = valueOf("string", "To");
const far = valueOf("string", "Way", "To");
const to: ValuePath = { hops: [], leaf: "To", type: "reference" };
const isA = (at: ValuePath): Filter => ({ kind: "oneOf", path: at, values: ["a"] });

export const queryVisibilityChecks: readonly Check[] = checksOf("queries", {
  "see through references what is visible, and no more": async ({ r }) => {
    await insertGuarded(r);
    const behind = (...names: string[]) => names.map((name) => `behind ${name}`);
    await isTrueOf(r, isA(path), ["restricted", "closed", "user"], everything);
    await isTrueOf(r, isA(path), ["restricted"], readers);
    await isTrueOf(r, isA(path), [], others);
    await isTrueOf(r, isA(far), behind("restricted", "closed", "user"), everything);
    await isTrueOf(r, isA(far), behind("restricted"), readers);
    await isTrueOf(r, isA(far), [], others);
    await isTrueOf(r, { kind: "present", path }, ["open"], others);
    await isTrueOf(
      r,
      { kind: "empty", path: far },
      ["open", "restricted", "closed", "user", ...behind("restricted", "closed", "user")],
      others,
    );
  },

  "take references to what is not visible for empty": async ({ r }) => {
    await insertGuarded(r);
    const behind = ["behind open", "behind restricted", "behind closed", "behind user"];
    await isTrueOf(r, { kind: "empty", path: to }, [], everything);
    await isTrueOf(r, { kind: "empty", path: to }, ["closed", "user"], readers);
    await isTrueOf(r, { kind: "empty", path: to }, ["restricted", "closed", "user"], others);
    await isTrueOf(r, { kind: "present", path: to }, ["open", "restricted", "closed", "user", ...behind], others);
  },

  "find only what is visible itself": async ({ r }) => {
    const list = [null, [], ["A1"], ["B2"], ["A1", "B2"]];
    await r.objects.insert(
      list.map((each) => ({ className: "File", attributes: { Name: String(each), Value: "a" }, readers: each })),
    );
    for (const [visibility, expected] of [
      [everything, ["null", "", "A1", "B2", "A1,B2"]],
      [readers, ["null", "A1", "B2", "A1,B2"]],
      [others, ["null", "B2", "A1,B2"]],
      [{ ...others, principals: new Set<string>() }, ["null"]],
      [{ ...others, classes: new Set(["Image"]) }, []],
    ] as const) {
      await isTrueOf(r, isA(valueOf("string")), expected, visibility);
      equal(
        await namesOf(r, { sort: [{ path: valueOf("string"), descending: true }] }, visibility),
        expected,
        "the files in an order",
      );
    }
  },

  "order by what is visible, and by nothing else": async ({ r }) => {
    await insertGuarded(r);
    const sort: readonly SortKey[] = [{ path, descending: true }];
    const filter: Filter = {
      kind: "not",
      filter: { kind: "like", path: { hops: [], leaf: "Name", type: "string" }, pattern: "behind %" },
    };
    equal(
      await namesOf(r, { filter, sort }, everything),
      ["open", "restricted", "closed", "user"],
      "the order for everything",
    );
    equal(
      await namesOf(r, { filter, sort: [{ path, descending: false }] }, everything),
      ["restricted", "closed", "user", "open"],
      "the order turned round",
    );
    equal(
      await namesOf(r, { filter, sort: [{ path, descending: false }] }, readers),
      ["closed", "user", "restricted", "open"],
      "the order for readers",
    );
    equal(
      await namesOf(r, { filter, sort: [{ path, descending: false }] }, others),
      ["restricted", "closed", "user", "open"],
      "the order for others",
    );
  },

  "tell positions of what is visible, and of nothing else": async ({ r }) => {
    await insertGuarded(r);
    const query: ObjectQuery = { classes: ["File"], sort: [{ path, descending: false }] };
    for (const visibility of [readers, others]) {
      const { objects } = await r.objects.find(query, visibility, { offset: 0, limit: 100 });
      for (const [index, { id, attributes }] of objects.entries()) {
        const { last } = await r.objects.find(query, visibility, { offset: index, limit: 1 });
        const name = attributes["Name"];
        const seen = name === "open" ? "b" : name === "restricted" && visibility === readers ? "a" : null;
        equal(last, { values: [seen], id }, `the position of ${String(name)}`);
      }
    }
  },
});

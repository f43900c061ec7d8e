import type { Filter, ObjectQuery, Repositories, SortKey, ValuePath, Visibility } from "@sallyport/storage";
import { equal } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, assertFilter, not, valueOf } from "../../fixtures/query-fixtures.ts";
import { assertSorted, ascending, descending, empty, like, oneOf, ownPath, present } from "./filters.ts";

/** Creates files that reference an image for all, one for A1, one without readers, and a user. */
async function insertGuarded(r: Repositories): Promise<void> {
  const targets = await r.objects.insert([
    { className: "Image", attributes: { Value: "b" } },
    { className: "Image", attributes: { Value: "a" }, readers: ["A1"] },
    { className: "Image", attributes: { Value: "a" }, readers: [] },
    { className: "User", attributes: { Value: "a" } },
  ]);
  const [open = "", restricted = "", closed = "", user = ""] = targets.map(({ id }) => id);
  const to = { open: { To: open }, restricted: { To: restricted }, closed: { To: closed }, user: { To: user } };
  const files = await insertFiles(r, to);
  const names = Object.keys(to);
  await insertFiles(r, Object.fromEntries(files.map((id, index) => [`behind ${names[index]}`, { To: id, Way: id }])));
}

const readers: Visibility = { classes: new Set(["File", "Image"]), principals: new Set(["B2", "A1"]) };
const others: Visibility = { classes: new Set(["File", "Image"]), principals: new Set(["B2"]) };
const everything: Visibility = { classes: null, principals: null };

const path = valueOf("string", "To");
const far = valueOf("string", "Way", "To");
const to: ValuePath = ownPath("To", "reference");
const isA = (at: ValuePath): Filter => oneOf(at, ["a"]);

export const queryVisibilityChecks: readonly Check[] = checksOf("queries", {
  "follows references to visible objects only": async ({ r }) => {
    await insertGuarded(r);
    const behind = (...names: string[]) => names.map((name) => `behind ${name}`);
    await assertFilter(r, isA(path), ["restricted", "closed", "user"], everything);
    await assertFilter(r, isA(path), ["restricted"], readers);
    await assertFilter(r, isA(path), [], others);
    await assertFilter(r, isA(far), behind("restricted", "closed", "user"), everything);
    await assertFilter(r, isA(far), behind("restricted"), readers);
    await assertFilter(r, isA(far), [], others);
    await assertFilter(r, present(path), ["open"], others);
    const hidden = behind("restricted", "closed", "user");
    await assertFilter(r, empty(far), ["open", "restricted", "closed", "user", ...hidden], others);
  },

  "treats references to invisible objects as empty": async ({ r }) => {
    await insertGuarded(r);
    const behind = ["behind open", "behind restricted", "behind closed", "behind user"];
    await assertFilter(r, empty(to), [], everything);
    await assertFilter(r, empty(to), ["closed", "user"], readers);
    await assertFilter(r, empty(to), ["restricted", "closed", "user"], others);
    await assertFilter(r, present(to), ["open", "restricted", "closed", "user", ...behind], others);
  },

  "finds visible objects only": async ({ r }) => {
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
      await assertFilter(r, isA(valueOf("string")), expected, visibility);
      await assertSorted(r, [descending(valueOf("string"))], expected, { visibility });
    }
  },

  "sorts by visible values only": async ({ r }) => {
    await insertGuarded(r);
    const sort: readonly SortKey[] = [descending(path)];
    const filter = not(like(ownPath("Name", "string"), "behind %"));
    await assertSorted(r, sort, ["open", "restricted", "closed", "user"], { filter, visibility: everything });
    await assertSorted(r, [ascending(path)], ["restricted", "closed", "user", "open"], {
      filter,
      visibility: everything,
    });
    await assertSorted(r, [ascending(path)], ["closed", "user", "restricted", "open"], { filter, visibility: readers });
    await assertSorted(r, [ascending(path)], ["restricted", "closed", "user", "open"], { filter, visibility: others });
  },

  "returns positions with visible values only": async ({ r }) => {
    await insertGuarded(r);
    const query: ObjectQuery = { classes: ["File"], sort: [ascending(path)] };
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

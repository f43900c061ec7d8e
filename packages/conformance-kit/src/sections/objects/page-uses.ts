import { defaultAnswerBytes, type Filter, type ObjectQuery, seesAll } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck } from "../../fixtures/lists.ts";
import { valueOf } from "../../fixtures/query-fixtures.ts";

const files = Array.from({ length: 7 }, (_, index) => ({
  className: "File",
  attributes: { Value: index, Text: 'a\n"b" {ü}' },
  ...(index === 3 ? { readers: ["1", "2"] } : index === 4 ? { readers: [] } : {}),
}));
const all: Filter = { kind: "compare", path: valueOf("number"), operator: "lt", value: 100 };
const sort = [{ path: valueOf("number"), descending: true }];

const queries: readonly [string, ObjectQuery][] = [
  ["of one class", { classes: ["File"] }],
  ["of several classes", { classes: ["File", "Image"] }],
  ["with a filter", { classes: ["File"], filter: all }],
  ["with a filter and a sort order", { classes: ["File"], filter: all, sort }],
];

export const pageUseChecks: readonly Check[] = checksOf("objects", {
  "reads the same page, whether its objects are parsed or not": async ({ r }) => {
    await r.objects.insert([...files, { className: "File", attributes: {} }]);
    const page = { offset: 0, limit: 10 };
    for (const [what, query] of queries) {
      const parsed = await r.objects.find(query, seesAll, page);
      const read = await r.objects.find(query, seesAll, page, defaultAnswerBytes, { unparsed: true });
      for (const name of ["id", "uuid", "className", "storedAt", "version", "readers", "attributes"] as const)
        equal(pluck(read.objects, name), pluck(parsed.objects, name), `${name} of a list ${what}`);
      equal(read.last, parsed.last, `the position of a list ${what}`);
    }
  },

  "counts beside a page exactly up to the limit, if it counts": async ({ r }) => {
    await r.objects.insert(files);
    const query = { classes: ["File"], filter: all, sort };
    const { last } = await r.objects.find(query, seesAll, { offset: 0, limit: 2 });
    isTrue(last !== null, "A page must return its last position");
    const pages = [
      { offset: 0, limit: 3 },
      { offset: 3, limit: 3 },
      { offset: 9, limit: 3 },
      { after: last, limit: 2 },
    ];
    for (const page of pages)
      for (const countTo of [4, 7, 100]) {
        const { count } = await r.objects.find(query, seesAll, page, defaultAnswerBytes, { countTo });
        isTrue(count === undefined || count === Math.min(7, countTo), `${count} must be the count up to ${countTo}`);
      }
  },
});

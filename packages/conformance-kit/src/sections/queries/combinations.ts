import type { Filter } from "@sallyport/storage";
import { type Check, checksOf } from "../../check.ts";
import { insertFiles, assertFilter, not, valueOf } from "../../fixtures/query-fixtures.ts";
import { all, any, compare, oneOf, ownPath } from "./filters.ts";

const isOne: Filter = oneOf(valueOf("number"), [1]);
const isAboveOne: Filter = compare(valueOf("number"), "gt", 1);
const isYes: Filter = oneOf(ownPath("Flag", "boolean"), [true]);

const files = {
  missing: {},
  null: { Value: null, Flag: null },
  one: { Value: 1 },
  two: { Value: 2 },
  "one, yes": { Value: 1, Flag: true },
  "two, yes": { Value: 2, Flag: true },
  yes: { Flag: true },
  no: { Value: null, Flag: false },
};
const names = Object.keys(files);

export const queryCombinationChecks: readonly Check[] = checksOf("queries", {
  "combines conditions with and": async ({ r }) => {
    await insertFiles(r, files);
    await assertFilter(r, all(isOne, isYes), ["one, yes"]);
    await assertFilter(r, all(isOne), ["one", "one, yes"]);
    await assertFilter(r, all(), names);
    await assertFilter(r, all(isOne, isAboveOne), []);
  },

  "combines conditions with or": async ({ r }) => {
    await insertFiles(r, files);
    await assertFilter(r, any(isOne, isYes), ["one", "one, yes", "two, yes", "yes"]);
    await assertFilter(r, any(isYes), ["one, yes", "two, yes", "yes"]);
    await assertFilter(r, any(), []);
  },

  "negates conditions, also for missing values": async ({ r }) => {
    await insertFiles(r, files);
    await assertFilter(r, not(isOne), ["missing", "null", "two", "two, yes", "yes", "no"]);
    await assertFilter(r, not(all(isOne, isYes)), ["missing", "null", "one", "two", "two, yes", "yes", "no"]);
    await assertFilter(r, not(any(isOne, isYes)), ["missing", "null", "two", "no"]);
    await assertFilter(r, not(not(isOne)), ["one", "one, yes"]);
    await assertFilter(r, all(not(isOne), not(isAboveOne)), ["missing", "null", "yes", "no"]);
    await assertFilter(r, any(all(isYes, not(isAboveOne)), all(isAboveOne, not(isYes))), ["two", "one, yes", "yes"]);
    await assertFilter(r, not(any(not(isYes), all())), []);
  },

  "evaluates filters at any depth": async ({ r }) => {
    await insertFiles(r, files);
    let filter: Filter = isOne;
    for (let depth = 0; depth < 20; depth += 1)
      filter = depth % 2 === 0 ? all(filter, not(isAboveOne)) : any(filter, all(isOne, isYes));
    await assertFilter(r, filter, ["one", "one, yes"]);
  },

  "evaluates many conditions": async ({ r }) => {
    await insertFiles(r, files);
    const many = Array.from({ length: 500 }, (_, index) => oneOf(valueOf("number"), [index + 1]));
    await assertFilter(r, any(...many), ["one", "two", "one, yes", "two, yes"]);
    await assertFilter(r, all(...many.map(not)), ["missing", "null", "yes", "no"]);
  },
});

import type { Statement } from "../../statement.ts";
import { jointStatement } from "./transaction-runner.ts";

const call = (name: string, text: string): Statement => ({ name, text, joint: "call" });
const addition = (name: string, text: string): Statement => ({ name, text, joint: "addition" });

const [one, two] = [call("one", "select f($1::text, $2::int, $1::text)"), call("two", "select g($1)")];
const row = addition("row", "insert into t values ($2, $1)");

test("is the calls in their order, and the additions beside them, with parameters one behind the other", () => {
  expect(jointStatement([one, two, row])?.text).toBe(
    "with added_0 as (insert into t values ($5, $4)) select f($1::text, $2::int, $1::text), g($3)",
  );
  expect(jointStatement([two, one])?.text).toBe("select g($1), f($2::text, $3::int, $2::text)");
});

test("is the same one every time", () => {
  expect(jointStatement([one, row])).toBe(jointStatement([one, row]));
  expect(jointStatement([one, row])?.name).not.toBe(jointStatement([two, row])?.name);
});

test("is none of statements that answer something, or that would not keep their order", () => {
  const other = { name: "other", text: "select 1" };
  for (const statements of [
    [],
    [row],
    [other],
    [one, other],
    [other, one],
    [one, other, row],
    [row, one],
    [one, row, two],
  ])
    expect(jointStatement(statements)).toBeNull();
});

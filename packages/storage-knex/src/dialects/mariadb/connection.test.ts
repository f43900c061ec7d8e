import { positionalQuery } from "./connection.ts";

describe("numbered parameters", () => {
  test("become question marks, with the values in the order of their places", () => {
    const query = positionalQuery("select $2, $1, $2 from t limit $10", ["a", "b", 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(query).toEqual({ sql: "select ?, ?, ? from t limit ?", values: ["b", "a", "b", 10] });
  });

  test("take arrays as JSON, and other values as they are", () => {
    const bytes = Buffer.from("ab");
    expect(positionalQuery("$1 $2 $3 $4 $5", [["a", '"'], [1, 2], null, true, bytes]).values).toEqual([
      '["a","\\""]',
      "[1,2]",
      null,
      true,
      bytes,
    ]);
  });

  test("without a value are a mistake", () => {
    expect(() => positionalQuery("select $2", ["a"])).toThrow(RangeError);
  });
});

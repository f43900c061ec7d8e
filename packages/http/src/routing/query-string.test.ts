import fc from "fast-check";
import { queryParameters } from "./query-string.ts";

const parse = (query: string, names = ["a", "b", "page", "perPage", "query", "__proto__"]) =>
  Object.fromEntries(queryParameters(query, names));
const pack = (text: string) => Buffer.from(text).toString("base64url");

test.each([
  ["", {}],
  ["page=1", { page: "1" }],
  ["a=x+y&b=%C3%A9", { a: "x y", b: "é" }],
  ["a", { a: "" }],
  ["a=1&a=1", { a: "1" }],
  [`qb64=${pack("page=2&query=%7B%7D")}`, { page: "2", query: "{}" }],
  [`perPage=5&qb64=${pack("page=2")}`, { perPage: "5", page: "2" }],
  ["qb64=", {}],
  ["unknown=1&unknown=2&a=1", { a: "1" }],
  [`a=1&qb64=${pack("x=1&x=2&b=2&qb64=e30")}`, { a: "1", b: "2" }],
  ["__proto__=x", Object.fromEntries([["__proto__", "x"]])],
])("%j holds %j", (query, expected) => {
  expect(parse(query)).toEqual(expected);
});

test.each(["a=1&a=2", `a=1&qb64=${pack("a=2")}`, "qb64=%7B%7D", "qb64=a.b"])("%j is refused with 307", (query) => {
  expect(() => parse(query)).toThrow(expect.objectContaining({ code: 307 }));
});

test("packed parameters mean the same as plain ones", () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(names, fc.string({ unit: "grapheme" }), (keys, value) => {
      const query = new URLSearchParams(keys.map((key): [string, string] => [key, value])).toString();
      expect(parse(`qb64=${pack(query)}`, keys)).toEqual(parse(query, keys));
    }),
  );
});

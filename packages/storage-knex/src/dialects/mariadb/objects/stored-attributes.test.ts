import type { Attributes, JsonValue } from "@sallyport/core";
import { attributesOf, attributesText, storedValue } from "./stored-attributes.ts";

const attributes: Attributes = JSON.parse(
  `{"text":"a\\"b","number":0.1,"no":false,"nothing":null,"ids":["A1","B2"],"empty":{},"list":[],"mixed":[1,null,[2]],"record":{"b":1,"a":{"json":"{}"}},"__proto__":{"__proto__":1}}`,
) as Attributes;

const stored = (given: Attributes) => attributesOf(JSON.parse(attributesText(given)) as Attributes);

test("attributes come back as they were stored", () => {
  expect(stored(attributes)).toEqual(attributes);
  expect(Object.keys(stored(attributes))).toContain("__proto__");
});

test("what is stored is not nested, however deep the values are", () => {
  let deep: JsonValue = 1;
  for (let depth = 0; depth < 200; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
  const texts = Object.values(
    JSON.parse(attributesText({ deep, last: [["core"]] })) as Record<string, { json: unknown }>,
  );
  expect(texts.map(({ json }) => typeof json)).toEqual(["string", "string"]);
  expect(stored({ deep })).toEqual({ deep });
});

test("values are stored alike whatever the order of their members", () => {
  const one = { a: 1, b: [{ c: 2, d: 3 }] };
  const other = { b: [{ d: 3, c: 2 }], a: 1 };
  expect(storedValue(one)).toEqual(storedValue(other));
  expect(storedValue([1, { a: 2 }])).not.toEqual(storedValue([{ a: 2 }, 1]));
});

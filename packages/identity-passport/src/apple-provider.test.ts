import fc from "fast-check";
import { appleName } from "./apple-provider.ts";

const nobody = { name: "", surname: "" };

test("a name stands in the form", () => {
  expect(appleName('{"name":{"firstName":"Anna","lastName":"Example"},"email":"x@example.com"}')).toEqual({
    name: "Anna",
    surname: "Example",
  });
  expect(appleName('{"name":{"lastName":"Example"}}')).toEqual({ name: "", surname: "Example" });
});

test.each([
  undefined,
  "",
  "{",
  "null",
  "[]",
  '"Anna"',
  "{}",
  '{"name":null}',
  '{"name":"Anna"}',
  '{"name":{"firstName":1,"lastName":{}}}',
  '{"name":{"firstName":"A","firstName":"B"}}',
  `{"name":{"firstName":"${"A".repeat(5_000)}"}}`,
])("%p is no name", (user) => {
  expect(appleName(user)).toEqual(nobody);
});

test("whatever stands there, a name is a line of text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.json(),
        fc.string({ unit: "binary" }).map((firstName) => JSON.stringify({ name: { firstName, lastName: firstName } })),
      ),
      (user) => {
        for (const text of Object.values(appleName(user))) {
          expect([...text].length).toBeLessThanOrEqual(255);
          // oxlint-disable-next-line no-control-regex -- Names lose control characters.
          expect(text).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]|\p{Cs}/u);
        }
      },
    ),
  );
});

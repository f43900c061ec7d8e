import fc from "fast-check";
import { isObjectId, objectIdOf, objectNumber, objectReference } from "./object-id.ts";

describe("object ids", () => {
  test("number and id are the same thing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 36 ** 10 - 1 }), (number) => {
        const id = objectIdOf(number);
        expect(isObjectId(id)).toBe(true);
        expect(objectNumber(id)).toBe(number);
      }),
    );
  });

  test.each(["", "0", "00A", "a1", "1-2", "1 ", " 1", "1\n", "12345678901", "Ä1", "1.5", "-1", "+1", "1e3"])(
    "%j is not an id",
    (text) => expect(isObjectId(text)).toBe(false),
  );
});

describe("objectReference", () => {
  test.each([
    ["1Z", { kind: "id", id: "1Z" }],
    ["INVOICE", { kind: "id", id: "INVOICE" }],
    ["Invoice", { kind: "class", className: "Invoice" }],
    ["b", { kind: "class", className: "b" }],
    ["0A9B8C7D-0000-4000-8000-00000000000F", { kind: "uuid", uuid: "0a9b8c7d-0000-4000-8000-00000000000f" }],
    ["0", null],
    ["__proto__", null],
    ["Customer'--", null],
    ["0a9b8c7d-0000-4000-8000-00000000000", null],
    ["x".repeat(64), null],
    ["", null],
  ])("%j names %j", (text, expected) => {
    expect(objectReference(text)).toEqual(expected);
  });
});

import fc from "fast-check";
import { base64ToBody, bodyToBase64 } from "./web-crypto.ts";

test("bytes become what every platform calls base64, and come back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(bodyToBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(base64ToBody(bodyToBase64(bytes))).toEqual(bytes);
    }),
  );
});

test.each([8_191, 8_192, 8_193, 1_000_000])("%i bytes do", (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
  expect(bodyToBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  const back = base64ToBody(bodyToBase64(bytes));
  expect(back).toBeInstanceOf(Uint8Array);
  // In one step: to compare a million elements one by one takes seconds.
  expect(Buffer.compare(back as Uint8Array, bytes)).toBe(0);
});

test.each(["a", "====", "ab-_", "ä", "{}"])("%j is no base64", (text) => {
  expect(base64ToBody(text)).toBeUndefined();
});

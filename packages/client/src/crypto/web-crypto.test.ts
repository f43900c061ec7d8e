import fc from "fast-check";
import { encodeBase64, looseBase64 } from "@sallyport/contract/secure";

test("bytes become what every platform calls base64, and come back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(looseBase64(encodeBase64(bytes))).toEqual(bytes);
    }),
  );
});

test.each([8_191, 8_192, 8_193, 1_000_000])("%i bytes do", (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
  expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
  const back = looseBase64(encodeBase64(bytes));
  expect(back).toBeInstanceOf(Uint8Array);
  // In one step: to compare a million elements one by one takes seconds.
  expect(Buffer.compare(back as Uint8Array, bytes)).toBe(0);
});

test.each(["a", "====", "ab-_", "ä", "{}"])("%j is no base64", (text) => {
  expect(looseBase64(text)).toBeUndefined();
});

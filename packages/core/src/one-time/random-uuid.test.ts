import { isUuid } from "../objects/object-id.ts";
import { randomUuid } from "./random-uuid.ts";

function uuidOf(byte: number): string {
  return randomUuid({ secret: () => "", bytes: (length) => new Uint8Array(length).fill(byte) });
}

test("keeps all bits of the source but those of version and variant", () => {
  expect(uuidOf(0)).toBe("00000000-0000-4000-8000-000000000000");
  expect(uuidOf(255)).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
  expect(uuidOf(0x5a)).toBe("5a5a5a5a-5a5a-4a5a-9a5a-5a5a5a5a5a5a");
  expect(isUuid(uuidOf(1))).toBe(true);
});

test("takes sixteen bytes in their order", () => {
  const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index);
  expect(randomUuid({ secret: () => "", bytes })).toBe("00010203-0405-4607-8809-0a0b0c0d0e0f");
});

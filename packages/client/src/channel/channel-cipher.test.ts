import { createCipheriv, randomBytes } from "node:crypto";
import { buildCounterBlock } from "@sallyport/contract/secure";
import fc from "fast-check";
import { secureMode } from "../../../crypto/test/vectors.ts";
import { ChannelCipher } from "./channel-cipher.ts";

const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

test.each(secureMode.traffic)(
  "message $message in direction $direction, under $iv",
  async ({ symmetricKey, iv, plainBase64, cipherBase64 }) => {
    const cipher = await ChannelCipher.create(fromBase64(symmetricKey));
    expect(Buffer.from(await cipher.apply(fromBase64(iv), fromBase64(plainBase64))).toString("base64")).toBe(
      cipherBase64,
    );
    expect(Buffer.from(await cipher.apply(fromBase64(iv), fromBase64(cipherBase64))).toString("base64")).toBe(
      plainBase64,
    );
  },
);

test("does what OpenSSL does with messages of any length", async () => {
  const key = randomBytes(32);
  const cipher = await ChannelCipher.create(Uint8Array.from(key));
  const number = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 5_000, size: "max" }), number, async (plain, message) => {
      const iv = buildCounterBlock({ direction: 1, ivPrefix: Uint8Array.of(1, 2, 3), message, block: 0 });
      expect(
        Buffer.from(await cipher.apply(iv, plain)).equals(createCipheriv("aes-256-ctr", key, iv).update(plain)),
      ).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("the number of the block never runs into the number of the message", async () => {
  const cipher = await ChannelCipher.create(new Uint8Array(32));
  const last = buildCounterBlock({ direction: 1, ivPrefix: new Uint8Array(3), message: 5n, block: 2 ** 32 - 1 });
  const next = buildCounterBlock({ direction: 1, ivPrefix: new Uint8Array(3), message: 6n, block: 0 });
  const overrun = (await cipher.apply(last, new Uint8Array(32))).subarray(16);
  expect(overrun).not.toEqual(await cipher.apply(next, new Uint8Array(16)));
});

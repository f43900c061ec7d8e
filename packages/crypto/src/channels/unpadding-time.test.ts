import { createSecretKey, randomBytes } from "node:crypto";
import { padOaep } from "../../test/pad-oaep.ts";
import { timeDifference } from "../../test/paired-timing.ts";
import { mgf1, unpadOaep, unpadPkcs1 } from "./unpadding.ts";

const pairs = 1_500;
/** Standard deviations; a difference of a few per cent of the work is far beyond. */
const noticeable = 8;
const size = 256;
const message = Buffer.from("the message of a block");
const filling = (length: number) => randomBytes(length).map((byte) => byte || 1);

const oaep: Record<string, () => Uint8Array> = {
  right: () => padOaep(message, size, "sha256"),
  "wrong in its first byte": () => padOaep(message, size, "sha256", { first: 1 }),
  "wrong in its label": () => padOaep(message, size, "sha256", { label: "other" }),
  "without a separator": () => padOaep(message, size, "sha256", { separator: 2 }),
  "right and full": () => padOaep(Buffer.alloc(190), size, "sha256"),
  arbitrary: () => randomBytes(size).fill(0, 0, 1),
};

const pkcs1: Record<string, () => Uint8Array> = {
  right: () => Buffer.concat([Buffer.of(0, 2), filling(size - 25), Buffer.of(0), message]),
  "wrong in its first byte": () => Buffer.concat([Buffer.of(1, 2), filling(size - 25), Buffer.of(0), message]),
  "wrong in its second byte": () => Buffer.concat([Buffer.of(0, 1), filling(size - 25), Buffer.of(0), message]),
  "wrong by an early separator": () => Buffer.concat([Buffer.of(0, 2, 1, 0), filling(size - 4)]),
  "without a separator": () => Buffer.concat([Buffer.of(0, 2), filling(size - 2)]),
  arbitrary: () => randomBytes(size),
};

test.each(Object.entries(oaep))("OAEP that is %s takes the time of OAEP that is wrong at its end", (_name, one) => {
  const other = () => padOaep(Buffer.alloc(0), size, "sha256", { separator: 0 });
  const z = timeDifference({ pairs, one, other, work: (block) => unpadOaep(block, "sha256") });
  expect(z).toBeLessThan(noticeable);
});

test.each(Object.entries(pkcs1))("PKCS#1 v1.5 that is %s takes the time of an arbitrary block", (_name, one) => {
  const rejectionKey = createSecretKey(randomBytes(32));
  const cipherBlock = randomBytes(size);
  const work = (block: Uint8Array) => unpadPkcs1(block, cipherBlock, rejectionKey);
  expect(timeDifference({ pairs, one, other: () => randomBytes(size), work })).toBeLessThan(noticeable);
});

test("code that stops at a wrong first byte is noticed", () => {
  const hasty = (block: Uint8Array) => {
    if (block[0] === 0) mgf1(block.subarray(33), 32, "sha256");
    return mgf1(block.subarray(33), size - 33, "sha256");
  };
  const [one, other] = [oaep["right"], oaep["wrong in its first byte"]] as [() => Uint8Array, () => Uint8Array];
  expect(timeDifference({ pairs, one, other, work: hasty })).toBeGreaterThan(noticeable);
});

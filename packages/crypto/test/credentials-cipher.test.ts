import { hash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type RsaPadding, rsaPaddings, type ServerKeyPair } from "@sallyport/core";
import { RsaCredentialsCipher } from "@sallyport/crypto";
import fc from "fast-check";
import { capacity, cut, encryptBlocks, encryptRaw } from "@sallyport/test-kit/crypto/rsa-blocks";
import { paddingNames, secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { pairFromJwk, privateKeyOf, publicKeyOf, serverPair } from "./stored-keys.ts";

const cipher = new RsaCredentialsCipher({ threads: 2 });
const strict = new RsaCredentialsCipher({ threads: 1, legacyPkcs1: false });
afterAll(() => Promise.all([cipher.close(), strict.close()]));

const pairs = { 2048: serverPair("rsa-2048"), 3072: serverPair("rsa-3072"), 4096: serverPair("rsa-4096") };
/** Made with another implementation; see the note inside. */
const implicitRejection = JSON.parse(readFileSync(new URL("implicit-rejection.json", import.meta.url), "utf8")) as {
  readonly cases: readonly { key: `rsa-${2048 | 3072 | 4096}`; title: string; block: string; message: string }[];
};

const vectorPair = pairFromJwk(secureMode.serverKey.jwk);
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();
const seal = (pair: ServerKeyPair, padding: RsaPadding, plain: Uint8Array | string) =>
  encryptBlocks(publicKeyOf(pair), padding, Buffer.from(plain));
const open = (bytes: Uint8Array, ...accepted: ServerKeyPair[]) =>
  cipher.open(Buffer.from(bytes).toString("base64"), accepted);

describe("opens", () => {
  test.each(secureMode.credentials)("the vector $name in $padding", async ({ padding, plain, base64 }) => {
    const opened = await cipher.open(base64, [vectorPair]);
    expect(text(opened?.plain)).toBe(plain);
    expect(opened).toMatchObject({ keyId: vectorPair.keyId, padding: paddingNames[padding] });
    const blocks = cut(Buffer.from(base64, "base64"), 256);
    expect(opened?.blocks).toEqual(blocks.map((block) => hash("sha256", block, "hex")));
  });

  test("sealed messages of any length, for any key, in any padding, with any other accepted keys", async () => {
    const size = fc.constantFrom(2048, 3072, 4096) as fc.Arbitrary<keyof typeof pairs>;
    const others = fc.shuffledSubarray(Object.values(pairs));
    const run = fc.asyncProperty(
      size,
      fc.constantFrom(...rsaPaddings),
      fc.uint8Array({ maxLength: 1_200 }),
      others,
      async (bits, padding, plain, accepted) => {
        const pair = pairs[bits];
        const keys = [...new Set([...accepted, pair])];
        const opened = await open(seal(pair, padding, plain), ...keys);
        expect(opened).toMatchObject({ keyId: pair.keyId, padding });
        expect(Buffer.from(opened?.plain ?? []).equals(plain)).toBe(true);
      },
    );
    await fc.assert(run, { numRuns: 60 });
  });

  test("every length of a single block", async () => {
    const pair = pairs[2048];
    for (const padding of rsaPaddings) {
      const most = capacity(publicKeyOf(pair), padding);
      for (const length of [0, 1, 2, most - 1, most]) {
        const plain = randomBytes(length);
        const opened = await open(seal(pair, padding, plain), pair);
        expect({ padding: opened?.padding, plain: [...(opened?.plain ?? [])] }).toEqual({ padding, plain: [...plain] });
      }
    }
  });

  test("sixteen blocks", async () => {
    for (const padding of rsaPaddings) {
      const plain = randomBytes(16 * capacity(publicKeyOf(pairs[2048]), padding));
      const opened = await open(seal(pairs[2048], padding, plain), pairs[2048]);
      expect(opened?.blocks).toHaveLength(16);
      expect(Buffer.from(opened?.plain ?? []).equals(plain)).toBe(true);
    }
  });

  test("with the second of two keys of the same size, in every padding", async () => {
    for (const padding of rsaPaddings) {
      const opened = await open(seal(pairs[2048], padding, "secret"), vectorPair, pairs[2048]);
      expect(opened).toMatchObject({ keyId: pairs[2048].keyId, padding });
      expect(text(opened?.plain)).toBe("secret");
    }
  });

  test("many messages at once", async () => {
    const plains = Array.from({ length: 40 }, (_, index) => `secret ${index}`);
    const opened = await Promise.all(
      plains.map((plain) => open(seal(pairs[2048], "OAEP-SHA-256", plain), pairs[2048])),
    );
    expect(opened.map((one) => text(one?.plain))).toEqual(plains);
  });
});

describe("refuses", () => {
  const good = seal(pairs[2048], "OAEP-SHA-1", "secret");
  const base64 = good.toString("base64");

  test.each([
    ["nothing", ""],
    ["blanks", "    "],
    ["missing padding", base64.replace(/=+$/, "")],
    ["too much padding", `${base64}=`],
    ["a line break", `${base64.slice(0, 76)}\n${base64.slice(76)}`],
    ["a trailing line break", `${base64}\n`],
    ["a leading blank", ` ${base64}`],
    ["base64url", Buffer.alloc(256, 0xfb).toString("base64url")],
    ["hexadecimal", good.toString("hex")],
    [
      "unused bits that are set",
      base64.replace(/(.)==$/, (_, last: string) => `${String.fromCodePoint((last.codePointAt(0) ?? 0) + 1)}==`),
    ],
    ["a zero byte in the text", `${base64}\0`],
    ["text", "not base64 at all"],
    ["a megabyte", "A".repeat(1_048_576)],
  ])("%s", async (_name, credentials) => {
    expect(await cipher.open(credentials, [pairs[2048]])).toBeUndefined();
  });

  test.each([1, 255, 257, 511, 17 * 256, 32 * 256])("%i bytes", async (length) => {
    expect(await open(randomBytes(length).fill(1, 0, 1), pairs[2048])).toBeUndefined();
  });

  test("seventeen good blocks, and blocks of no accepted key", async () => {
    const step = capacity(publicKeyOf(pairs[2048]), "OAEP-SHA-256");
    expect(await open(seal(pairs[2048], "OAEP-SHA-256", randomBytes(17 * step)), pairs[2048])).toBeUndefined();
    expect(await open(good, pairs[3072], pairs[4096])).toBeUndefined();
    expect(await open(good)).toBeUndefined();
    expect(await open(good, serverPair("ec-p256"))).toBeUndefined();
  });

  test("numbers not smaller than the modulus", async () => {
    const modulus = Buffer.from(privateKeyOf(pairs[2048]).export({ format: "jwk" }).n ?? "", "base64url");
    const above = Buffer.from(modulus);
    above.writeUInt8(above.readUInt8(255) + 1, 255);
    for (const block of [modulus, above, Buffer.alloc(256, 0xff)]) {
      expect(await open(block, pairs[2048])).toBeUndefined();
      expect(await open(Buffer.concat([good, block]), pairs[2048])).toBeUndefined();
    }
  });

  test("v1.5 in strict mode, and then every block that fits no other padding", async () => {
    const seals = [seal(pairs[2048], "PKCS1-v1_5", "secret"), randomBytes(256).fill(0, 0, 1)];
    for (const bytes of seals) expect(await strict.open(bytes.toString("base64"), [pairs[2048]])).toBeUndefined();
    const accepted = await strict.open(base64, [pairs[2048]]);
    expect(text(accepted?.plain)).toBe("secret");
  });
});

describe("does not open", () => {
  const key = publicKeyOf(pairs[2048]);
  const long = randomBytes(600);
  const blocksOf = (padding: RsaPadding) => cut(seal(pairs[2048], padding, long), 256);
  const [oaep, other, legacy] = rsaPaddings.map(blocksOf) as [Uint8Array[], Uint8Array[], Uint8Array[]];
  const foreign = cut(seal(vectorPair, "OAEP-SHA-256", "secret"), 256);
  const flipped = (block: Uint8Array | undefined) => block?.map((byte, at) => (at === 200 ? byte ^ 1 : byte));

  test.each([
    ["two OAEP paddings in one text", [oaep[0], other[1]]],
    ["OAEP and v1.5 in one text", [oaep[0], legacy[1]]],
    ["blocks for two keys", [oaep[0], foreign[0]]],
    ["an altered block", [flipped(oaep[0])]],
    ["an altered last block", [oaep[0], oaep[1], flipped(oaep[2])]],
    ["an arbitrary block after good ones", [oaep[0], oaep[1], randomBytes(256).fill(0, 0, 1)]],
    ["zero", [new Uint8Array(256)]],
    ["one", [new Uint8Array(256).fill(1, 255)]],
  ])("%s", async (_name, blocks) => {
    const bytes = Buffer.concat(blocks.map((block) => block ?? new Uint8Array()));
    const opened = await open(bytes, pairs[2048], vectorPair);
    expect(opened?.padding).toBe("PKCS1-v1_5");
    expect(Buffer.from(opened?.plain ?? []).includes(long.subarray(0, 32))).toBe(false);
    expect(await strict.open(bytes.toString("base64"), [pairs[2048], vectorPair])).toBeUndefined();
  });

  test("OAEP after v1.5, and does not reveal it", async () => {
    const opened = await open(
      Buffer.concat([legacy[0] ?? [], other[1] ?? []].map((block) => Uint8Array.from(block))),
      pairs[2048],
    );
    const plain = Buffer.from(opened?.plain ?? []);
    const step = capacity(key, "PKCS1-v1_5");
    expect(plain.subarray(0, step).equals(long.subarray(0, step))).toBe(true);
    const hidden = long.subarray(capacity(key, "OAEP-SHA-1"));
    expect(plain.subarray(step).includes(hidden.subarray(0, 16))).toBe(false);
  });

  test("reordered or missing blocks as anything but their own content", async () => {
    const opened = await open(
      Buffer.concat([oaep[1] ?? [], oaep[0] ?? []].map((block) => Uint8Array.from(block))),
      pairs[2048],
    );
    const step = capacity(key, "OAEP-SHA-256");
    const swapped = Buffer.concat([long.subarray(step, 2 * step), long.subarray(0, step)]);
    expect(Buffer.from(opened?.plain ?? []).equals(swapped)).toBe(true);
    const whole = await open(Buffer.concat(oaep), pairs[2048]);
    expect(opened?.blocks).toEqual([whole?.blocks[1], whole?.blocks[0]]);
  });

  test.each(implicitRejection.cases)("$key: $title unlike OpenSSL", async ({ key: name, block, message }) => {
    const opened = await open(Buffer.from(block, "hex"), serverPair(name));
    expect(opened?.padding).toBe("PKCS1-v1_5");
    expect(Buffer.from(opened?.plain ?? []).toString("hex")).toBe(message);
  });

  test("the same wrong block with different results", async () => {
    const bytes = encryptRaw(key, Buffer.concat([Buffer.of(0, 1), randomBytes(254)]));
    const [one, two] = await Promise.all([open(bytes, pairs[2048]), open(bytes, pairs[2048])]);
    expect(one).toEqual(two);
    const next = await open(encryptRaw(key, randomBytes(256).fill(0, 0, 1)), pairs[2048]);
    expect(next?.plain).not.toEqual(one?.plain);
  });
});

test("keeps the event loop free while it opens sixteen blocks with 4096 bits", async () => {
  const bytes = seal(pairs[4096], "OAEP-SHA-256", randomBytes(16 * 446));
  await open(bytes, pairs[4096]);
  let turns = 0;
  let working = true;
  const count = () => {
    turns += 1;
    if (working) setImmediate(count);
  };
  setImmediate(count);
  await open(bytes, pairs[4096]);
  working = false;
  // On the event loop this would be one turn, or sixteen with a pause after every block.
  expect(turns).toBeGreaterThan(100);
});

test("answers 706 when the queue is full, and continues with the queued work", async () => {
  const narrow = new RsaCredentialsCipher({ threads: 1, queueLimit: 1 });
  const base64 = seal(pairs[2048], "OAEP-SHA-1", "secret").toString("base64");
  const running = [narrow.open(base64, [pairs[2048]]), narrow.open(base64, [pairs[2048]])];
  await expect(narrow.open(base64, [pairs[2048]])).rejects.toMatchObject({ code: 706 });
  expect((await Promise.all(running)).map((opened) => text(opened?.plain))).toEqual(["secret", "secret"]);
  await narrow.close();
});

test("fails after it is closed, including work in progress", async () => {
  const closing = new RsaCredentialsCipher({ threads: 1 });
  const base64 = seal(pairs[4096], "OAEP-SHA-1", randomBytes(16 * 470)).toString("base64");
  const working = closing.open(base64, [pairs[4096]]);
  await Promise.all([expect(working).rejects.toThrow("closed"), closing.close()]);
  await expect(closing.open(base64, [pairs[4096]])).rejects.toThrow("closed");
});

test.each([2048, 4096] as const)(
  "finds the key of %i bits for 512 bytes, which are whole blocks of two keys",
  async (bits) => {
    const plain = randomBytes(bits === 2048 ? 300 : 400);
    const opened = await open(seal(pairs[bits], "OAEP-SHA-256", plain), pairs[2048], pairs[4096]);
    expect(opened).toMatchObject({ keyId: pairs[bits].keyId, blocks: { length: 4096 / bits } });
  },
);

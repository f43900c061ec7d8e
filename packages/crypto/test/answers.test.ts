import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  randomBytes,
} from "node:crypto";
import { rsaPaddings } from "@sallyport/core";
import { AesCbcHybridCipher, ForgeClientKeyParser, RsaAnswerCipher, RsaCredentialsCipher } from "@sallyport/crypto";
import fc from "fast-check";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
import { cut, decryptOaep, encryptBlocks } from "@sallyport/test-kit/crypto/rsa-blocks";
import { paddingNames, secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { clientKeyOf, pairFromJwk, privateKeyOf, publicKeyOf, serverPair } from "./stored-keys.ts";

describe("answer cipher", () => {
  const answers = new RsaAnswerCipher();
  // A client is a server that opens answers: Node has no other implementation of v1.5.
  const client = new RsaCredentialsCipher({ threads: 1 });
  afterAll(() => client.close());

  test.each(secureMode.answers)(
    "opens the vector for $clientKey in $padding",
    async ({ clientKey, padding, plain, base64 }) => {
      const pair = pairFromJwk(secureMode.clientKeys[clientKey].jwk);
      const opened = await client.open(base64, [pair]);
      expect(opened?.padding).toBe(paddingNames[padding]);
      expect(Buffer.from(opened?.plain ?? []).toString()).toBe(plain);
      const sealed = await answers.seal(clientKeyOf(pair), paddingNames[padding], Buffer.from(plain));
      expect(sealed).toHaveLength(base64.length);
      const again = await client.open(sealed, [pair]);
      expect(again).toMatchObject({ padding: paddingNames[padding], plain: opened?.plain });
    },
  );

  test("seals answers that Node opens", async () => {
    for (const name of ["rsa-2048", "rsa-3072", "rsa-4096"] as const) {
      const pair = serverPair(name);
      for (const padding of ["OAEP-SHA-256", "OAEP-SHA-1"] as const) {
        const plain = randomBytes(1_000);
        const sealed = Buffer.from(await answers.seal(clientKeyOf(pair), padding, plain), "base64");
        expect(decryptOaep(privateKeyOf(pair), padding, sealed).equals(plain)).toBe(true);
      }
    }
  });

  test("seals any length in the fewest blocks that the padding allows", async () => {
    const pair = serverPair("rsa-2048");
    const capacities = { "OAEP-SHA-256": 190, "OAEP-SHA-1": 214, "PKCS1-v1_5": 245 };
    const lengths = fc.oneof(
      fc.nat(1_200),
      fc.constantFrom(0, 1, 189, 190, 191, 213, 214, 215, 244, 245, 246, 380, 490),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rsaPaddings), lengths, async (padding, length) => {
        const plain = randomBytes(length);
        const sealed = await answers.seal(clientKeyOf(pair), padding, plain);
        const blocks = cut(Buffer.from(sealed, "base64"), 256);
        expect(blocks).toHaveLength(Math.max(1, Math.ceil(length / capacities[padding])));
        const opened = await client.open(sealed, [pair]);
        expect(Buffer.from(opened?.plain ?? []).equals(plain)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("writes bare base64, different every time", async () => {
    const key = clientKeyOf(serverPair("rsa-2048"));
    for (const padding of rsaPaddings) {
      const [one, two] = [
        await answers.seal(key, padding, Buffer.of(1)),
        await answers.seal(key, padding, Buffer.of(1)),
      ];
      expect(one).toMatch(/^[A-Za-z0-9+/]{342}==$/);
      expect(one).not.toBe(two);
    }
  });

  test("supports a key whose size is not a whole number of bytes", async () => {
    const privateKey = createPrivateKey(pemFile("rsa-2052"));
    const publicKey = createPublicKey(privateKey);
    const parsed = new ForgeClientKeyParser().parse(publicKey.export({ type: "spki", format: "pem" }) as string, []);
    if (parsed === undefined) throw new Error("not parsed");
    const plain = randomBytes(500);
    const sealed = Buffer.from(await answers.seal(parsed, "OAEP-SHA-256", plain), "base64");
    expect(sealed).toHaveLength(3 * 257);
    expect(decryptOaep(privateKey, "OAEP-SHA-256", sealed).equals(plain)).toBe(true);
  });

  test("yields to other work between the blocks of a long answer", async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await answers.seal(clientKeyOf(serverPair("rsa-4096")), "OAEP-SHA-256", randomBytes(100 * 446));
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(12);
  });
});

describe("hybrid cipher", () => {
  const credentials = new RsaCredentialsCipher({ threads: 1 });
  afterAll(() => credentials.close());
  const hybrid = new AesCbcHybridCipher(credentials);
  const pair = serverPair("rsa-2048");
  const other = serverPair("rsa-4096");
  const aesKey = randomBytes(32);
  const sealedKey = encryptBlocks(publicKeyOf(pair), "OAEP-SHA-256", aesKey).toString("base64");

  function encrypt(plain: Uint8Array, { key = aesKey, iv = randomBytes(16), padded = true } = {}): Buffer {
    const cipher = createCipheriv("aes-256-cbc", key, iv);
    cipher.setAutoPadding(padded);
    return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
  }

  const open = (data: Uint8Array, key = sealedKey) =>
    hybrid.open({ aesKey: key, data: Buffer.from(data).toString("base64") }, [other, pair]);

  describe("opens", () => {
    test("client messages of any length", async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (plain) => {
          const opened = await open(encrypt(plain));
          expect(opened).toMatchObject({ keyId: pair.keyId, plain: Uint8Array.from(plain) });
        }),
        { numRuns: 50 },
      );
    });

    test("up to 65,536 bytes", async () => {
      const most = randomBytes(65_536 - 17);
      expect((await open(encrypt(most)))?.plain).toEqual(Uint8Array.from(most));
      expect(await open(encrypt(randomBytes(65_536 - 16)))).toBeUndefined();
    });

    test("for any of the accepted keys", async () => {
      const key = encryptBlocks(publicKeyOf(other), "OAEP-SHA-256", aesKey).toString("base64");
      expect(await open(encrypt(Buffer.from("{}")), key)).toMatchObject({ keyId: other.keyId });
    });

    test("with the digest of the cipher blocks, which does not depend on the IV", async () => {
      const data = encrypt(Buffer.from(`{"appNames": ["app1"]}`));
      const altered = Buffer.from(data);
      altered.writeUInt8(altered.readUInt8(12) ^ 0x20 ^ 0x09, 12);
      const [opened, alike] = [await open(data), await open(altered)];
      const digest = createHash("sha256").update(data.subarray(16)).digest("hex");
      expect(opened?.digest).toBe(digest);
      expect(opened?.keyBlock).toBe(createHash("sha256").update(Buffer.from(sealedKey, "base64")).digest("hex"));
      expect(alike?.digest).toBe(digest);
      expect(Buffer.from(alike?.plain ?? []).toString()).toBe(`{"appNames":\t["app1"]}`);
      expect((await open(encrypt(Buffer.from(`{"appNames": ["app1"]}`))))?.digest).not.toBe(digest);
    });
  });

  describe("refuses", () => {
    const data = encrypt(Buffer.from(`{"user":"demo"}`));
    const seal = (padding: "OAEP-SHA-256" | "OAEP-SHA-1" | "PKCS1-v1_5", key: Uint8Array) =>
      encryptBlocks(publicKeyOf(pair), padding, key).toString("base64");

    test.each([
      ["a key in OAEP with SHA-1", seal("OAEP-SHA-1", aesKey)],
      ["a key in v1.5", seal("PKCS1-v1_5", aesKey)],
      ["a short key", seal("OAEP-SHA-256", aesKey.subarray(1))],
      ["a long key", seal("OAEP-SHA-256", Buffer.concat([aesKey, Buffer.of(0)]))],
      ["no key", seal("OAEP-SHA-256", Buffer.alloc(0))],
      [
        "a key in two blocks",
        Buffer.concat([
          Buffer.from(seal("OAEP-SHA-256", aesKey), "base64"),
          Buffer.from(seal("OAEP-SHA-256", Buffer.alloc(0)), "base64"),
        ]).toString("base64"),
      ],
      [
        "a key for another recipient",
        encryptBlocks(publicKeyOf(serverPair("rsa-3072")), "OAEP-SHA-256", aesKey).toString("base64"),
      ],
      ["an arbitrary block", randomBytes(256).fill(0, 0, 1).toString("base64")],
      ["a plaintext key", aesKey.toString("base64")],
      ["a blank key", ""],
      ["a key with a line break", `${sealedKey.slice(0, 76)}\n${sealedKey.slice(76)}`],
    ])("%s", async (_name, key) => {
      expect(await open(data, key)).toBeUndefined();
    });

    test.each([
      ["nothing", Buffer.alloc(0)],
      ["an IV alone", data.subarray(0, 16)],
      ["a truncated byte", data.subarray(0, -1)],
      ["an extra byte", Buffer.concat([data, Buffer.of(0)])],
      ["a padding of 0", encrypt(Buffer.alloc(16), { padded: false })],
      ["a padding of 17", encrypt(Buffer.alloc(32, 17), { padded: false })],
      ["a padding of 255", encrypt(Buffer.alloc(256, 255), { padded: false })],
      ["an inconsistent padding", encrypt(Buffer.from("0102030405060708090a0b0c04030404", "hex"), { padded: false })],
      [
        "a padding with another first byte",
        encrypt(Buffer.concat([Buffer.of(15), Buffer.alloc(15, 16)]), { padded: false }),
      ],
    ])("data with %s", async (_name, wrong) => {
      expect(await open(wrong)).toBeUndefined();
    });

    test.each([
      ["a line break", `${data.toString("base64").slice(0, 20)}\n${data.toString("base64").slice(20)}`],
      ["base64url", Buffer.alloc(48, 0xfb).toString("base64url")],
      ["a missing padding", data.toString("base64").replace(/=+$/, "").slice(0, 43)],
      ["a megabyte", "A".repeat(1_048_576)],
    ])("data as text with %s", async (_name, text) => {
      expect(await hybrid.open({ aesKey: sealedKey, data: text }, [pair])).toBeUndefined();
    });

    test("a message without an accepted key", async () => {
      expect(await hybrid.open({ aesKey: sealedKey, data: data.toString("base64") }, [])).toBeUndefined();
    });

    test("data of another key", async () => {
      // By chance, garbage has correct padding in one of 256 cases: then the result is garbage, and no JSON.
      const opened = await open(encrypt(Buffer.from(`{"user":"demo"}`), { key: randomBytes(32) }));
      expect(Buffer.from(opened?.plain ?? []).includes("demo")).toBe(false);
    });
  });

  describe("seals", () => {
    function openAsClient(sealed: string, name: "rsa-2048" | "rsa-4096"): Buffer {
      const [key = "", data = "", ...rest] = sealed.split("|");
      expect(rest).toEqual([]);
      const options = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" };
      const opened = privateDecrypt({ key: privateKeyOf(serverPair(name)), ...options }, Buffer.from(key, "base64"));
      const bytes = Buffer.from(data, "base64");
      const decipher = createDecipheriv("aes-256-cbc", opened, bytes.subarray(0, 16));
      return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
    }

    test.each(["rsa-2048", "rsa-4096"] as const)("messages that a client with %s opens, of any length", (name) => {
      const key = clientKeyOf(serverPair(name));
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (plain) =>
          openAsClient(hybrid.seal(key, plain), name).equals(plain),
        ),
        { numRuns: 30 },
      );
    });

    test("with a new key and IV every time", () => {
      const key = clientKeyOf(pair);
      const seals = Array.from({ length: 20 }, () => hybrid.seal(key, Buffer.from("{}")));
      for (const part of [0, 1]) expect(new Set(seals.map((sealed) => sealed.split("|")[part])).size).toBe(20);
      const prefixes = seals.map((sealed) => sealed.split("|")[1]?.slice(0, 20));
      expect(new Set(prefixes).size).toBe(20);
      for (const sealed of seals) expect(sealed).toMatch(/^[A-Za-z0-9+/]{342}==\|[A-Za-z0-9+/]{43}=$/);
    });
  });
});

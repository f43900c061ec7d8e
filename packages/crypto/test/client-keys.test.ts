import { createHash, createPublicKey, randomBytes } from "node:crypto";
import { ForgeClientKeyParser } from "@sallyport/crypto";
import { der, integer, pkcs1Inside, publicKeyDer, spkiOf } from "@sallyport/test-kit/crypto/der";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import fc from "fast-check";
import { serverPair } from "./stored-keys.ts";

const parser = new ForgeClientKeyParser();
const parse = (text: string) => parser.parse(text, []);
const pair = serverPair("rsa-2048");
const key = createPublicKey(pair.publicKey);
const spki = key.export({ type: "spki", format: "der" });
const pkcs1 = key.export({ type: "pkcs1", format: "der" });
const pkcs1Pem = key.export({ type: "pkcs1", format: "pem" }) as string;
const spkiPem = key.export({ type: "spki", format: "pem" }) as string;
const digest = createHash("sha256").update(spki).digest("hex");
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");
const lines = (text: string, end: string, indent = "") =>
  text.replaceAll(/.{1,76}/g, (line) => `${indent}${line}${end}`);

describe("accepts", () => {
  const expected = createPublicKey({ key: secureMode.clientKeys.rsa2048.jwk, format: "jwk" }).export({
    type: "spki",
    format: "der",
  });

  test.each(Object.entries(secureMode.publicKeyForms))("the vector %s", (_name, text) => {
    expect(parse(text)).toEqual({
      digest: createHash("sha256").update(expected).digest("hex"),
      bits: 2048,
      spki: new Uint8Array(expected),
    });
  });

  test("a repeated text without parsing it again", () => {
    const others = new ForgeClientKeyParser();
    const [first, second] = [others.parse(spkiPem, []), others.parse(spkiPem, [])];
    expect(second).toBe(first);
    expect(others.parse(pkcs1Pem, [])).toEqual(first);
  });

  test.each([
    ["SPKI in PEM", spkiPem],
    ["PKCS#1 in PEM", pkcs1Pem],
    ["PEM with CR LF", pair.publicKey],
    ["PEM with CR alone", spkiPem.replaceAll("\n", "\r")],
    ["indented PEM", spkiPem.replaceAll(/^/gm, "\t  ")],
    ["PEM with blank lines", spkiPem.replaceAll("\n", "\n\n")],
    ["PEM in one line", spkiPem.replaceAll("\n", " ")],
    ["PEM without any break", spkiPem.replaceAll("\n", "")],
    ["PEM without the last break", spkiPem.trim()],
    ["PEM between blanks", `  \r\n${pkcs1Pem}\r\n  `],
    ["base64 of PEM", base64(spkiPem)],
    ["base64 of indented PEM with CR LF", base64(pair.publicKey.replaceAll(/^/gm, "    "))],
    ["base64 in lines of PEM", lines(base64(pkcs1Pem), "\r\n")],
    ["base64url of PEM", Buffer.from(spkiPem).toString("base64url")],
    ["base64 of SPKI", base64(spki)],
    ["base64 of PKCS#1", base64(pkcs1)],
    ["base64 in lines", lines(base64(spki), "\n")],
    ["base64 in indented lines with CR LF", lines(base64(pkcs1), "\r\n", "    ")],
    ["base64 without padding", base64(pkcs1).replace(/=+$/, "")],
    ["base64url", pkcs1.toString("base64url")],
    ["base64url with padding", `${spki.toString("base64url")}${"=".repeat(-spki.toString("base64url").length & 3)}`],
  ])("%s", (_name, text) => {
    expect(parse(text)).toEqual({ digest, bits: 2048, spki: new Uint8Array(spki) });
  });

  test.each([2048, 2049, 2056, 3000, 3072, 4095, 4096])("%i bits", (bits) => {
    expect(parse(base64(publicKeyDer({ bits })))).toMatchObject({ bits });
  });
});

describe("refuses", () => {
  const modulus = BigInt(`0x${Buffer.from(key.export({ format: "jwk" }).n ?? "", "base64url").toString("hex")}`);
  const plain = (name: string) => createPublicKey(pemFile(name));
  const nested = (depth: number, tag = 0x30) => {
    let inner: Buffer = Buffer.alloc(0);
    for (let level = 0; level < depth; level++) inner = der(tag, inner);
    return inner;
  };

  test.each([
    ["nothing", ""],
    ["blanks", " \r\n\t "],
    ["text", "this is not a key"],
    ["JSON", JSON.stringify(key.export({ format: "jwk" }))],
    ["an SSH key", `ssh-rsa ${base64(pkcs1)}`],
    ["random bytes", base64(randomBytes(294))],
    ["a PEM without a body", "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"],
    ["a PEM without an end", spkiPem.slice(0, -30)],
    ["a PEM with two ends", `${spkiPem}-----END PUBLIC KEY-----`],
    ["two PEMs", spkiPem + pkcs1Pem],
    ["a PEM after other text", `key: ${spkiPem}`],
    ["a PEM before other text", `${spkiPem}# mine`],
    ["a PEM with a header", spkiPem.replace("\n", "\nComment: mine\n\n")],
    ["a PEM with a foreign label", spkiPem.replaceAll("PUBLIC KEY", "PUBLIC THING")],
    ["SPKI labelled PKCS#1", spkiPem.replaceAll("PUBLIC KEY", "RSA PUBLIC KEY")],
    ["PKCS#1 labelled SPKI", pkcs1Pem.replaceAll("RSA PUBLIC KEY", "PUBLIC KEY")],
    ["labels that differ", spkiPem.replace("BEGIN PUBLIC", "BEGIN RSA PUBLIC")],
    ["base64 of base64 of PEM", base64(base64(spkiPem))],
    ["both alphabets in one text", base64(spki).replace(/[+/]/, (sign) => (sign === "+" ? "-" : "_"))],
    ["padding in the middle", base64(spki).replace(/^(.{8})/, "$1==")],
    ["too much padding", `${base64(spki)}==`],
    ["hexadecimal", spki.toString("hex")],
    ["DER as text", spki.toString("latin1")],
    ["a certificate", pemFile("rsa-2048.certificate")],
    ["base64 of a certificate", pemFile("rsa-2048.certificate").replaceAll(/-----.*-----/g, "")],
    ["a private key", pemFile("rsa-2048")],
    ["a private key in PKCS#1", pemFile("rsa-2048.pkcs1")],
    ["base64 of a private key", base64(pair.privateKey)],
    ["base64 of a private key in PEM", base64(pemFile("rsa-2048.pkcs1"))],
    ["an encrypted private key", pemFile("rsa-2048.pkcs8-encrypted")],
    ["an EC key", spkiOf(plain("ec-p256")).toString("base64")],
    ["an Ed25519 key", spkiOf(plain("ed25519")).toString("base64")],
    ["an RSA-PSS key", spkiOf(plain("rsa-pss-2048")).toString("base64")],
    ["the PEM of an EC key", plain("ec-p256").export({ type: "spki", format: "pem" }) as string],
    ["8,193 characters", `${" ".repeat(8_193 - spkiPem.length)}${spkiPem}`],
    ["a megabyte", "A".repeat(1_048_576)],
  ])("%s", (_name, text) => {
    expect(parse(text)).toBeUndefined();
  });

  test.each([
    ["512 bits", publicKeyDer({ bits: 512 })],
    ["1024 bits", publicKeyDer({ bits: 1_024 })],
    ["2047 bits", publicKeyDer({ bits: 2_047 })],
    ["4097 bits", publicKeyDer({ bits: 4_097 })],
    ["8192 bits", publicKeyDer({ bits: 8_192 })],
    ["16384 bits", publicKeyDer({ bits: 16_384 })],
    ["a modulus of 0", publicKeyDer({ modulus: 0n })],
    ["an even modulus", publicKeyDer({ modulus: modulus - 1n })],
    ["exponent 0", publicKeyDer({ exponent: 0n })],
    ["exponent 1", publicKeyDer({ exponent: 1n })],
    ["exponent 2", publicKeyDer({ exponent: 2n })],
    ["exponent 3", publicKeyDer({ exponent: 3n })],
    ["exponent 17", publicKeyDer({ exponent: 17n })],
    ["exponent 65536", publicKeyDer({ exponent: 65_536n })],
    ["exponent 65539", publicKeyDer({ exponent: 65_539n })],
    ["exponent 2^32 + 65537", publicKeyDer({ exponent: 2n ** 32n + 65_537n })],
    ["a huge exponent", publicKeyDer({ exponent: modulus - 2n })],
  ])("%s, as SPKI or PKCS#1", (_name, bytes) => {
    expect(parse(base64(bytes))).toBeUndefined();
    expect(parse(base64(pkcs1Inside(bytes)))).toBeUndefined();
  });

  const bits = der(0x03, Buffer.concat([Buffer.of(0), pkcs1]));
  const algorithm = spki.subarray(4, 19);
  const exponent = integer(65_537n);

  test.each([
    ["a byte after SPKI", Buffer.concat([spki, Buffer.of(0)])],
    ["a byte after PKCS#1", Buffer.concat([pkcs1, Buffer.of(0)])],
    ["SPKI twice", Buffer.concat([spki, spki])],
    ["a missing byte", spki.subarray(0, -1)],
    [
      "a byte after the inner key",
      der(0x30, Buffer.concat([algorithm, der(0x03, Buffer.concat([Buffer.of(0), pkcs1, Buffer.of(0)]))])),
    ],
    ["a third number", der(0x30, Buffer.concat([integer(modulus), exponent, exponent]))],
    ["one number", der(0x30, integer(modulus))],
    ["a negative modulus", der(0x30, Buffer.concat([der(0x02, integer(modulus).subarray(5)), exponent]))],
    [
      "zeros before the modulus",
      der(0x30, Buffer.concat([der(0x02, Buffer.concat([Buffer.of(0), integer(modulus).subarray(4)])), exponent])),
    ],
    ["zeros before the exponent", der(0x30, Buffer.concat([integer(modulus), Buffer.of(2, 5, 0, 0, 1, 0, 1)]))],
    ["an overlong length", Buffer.concat([Buffer.of(0x30, 0x83, 0), pkcs1.subarray(2)])],
    ["an indefinite length", Buffer.concat([Buffer.of(0x30, 0x80), pkcs1.subarray(4), Buffer.of(0, 0)])],
    ["no algorithm parameters", der(0x30, Buffer.concat([der(0x30, algorithm.subarray(2, -2)), bits]))],
    [
      "other algorithm parameters",
      der(0x30, Buffer.concat([der(0x30, Buffer.concat([algorithm.subarray(2, -2), exponent])), bits])),
    ],
    ["unused bits", der(0x30, Buffer.concat([algorithm, der(0x03, Buffer.concat([Buffer.of(4), pkcs1]))]))],
    [
      "an octet string in place of a bit string",
      der(0x30, Buffer.concat([algorithm, der(0x04, Buffer.concat([Buffer.of(0), pkcs1]))])),
    ],
    ["a set in place of a sequence", Buffer.concat([Buffer.of(0x31), pkcs1.subarray(1)])],
    ["only a tag", Buffer.of(0x30)],
    ["a length beyond the end", Buffer.of(0x30, 0x84, 0x7f, 0xff, 0xff, 0xff)],
    ["a length of eight bytes", Buffer.of(0x30, 0x88, 255, 255, 255, 255, 255, 255, 255, 255)],
    ["a length of 126 bytes", Buffer.concat([Buffer.of(0x30, 0xfe), Buffer.alloc(126, 255)])],
  ])("%s", (_name, bytes) => {
    expect(parse(base64(bytes))).toBeUndefined();
  });

  const bombs: [string, Buffer][] = [
    ["sequences in sequences", nested(1_500)],
    ["a few sequences in sequences", nested(140)],
    ["bit strings in bit strings", nested(140, 0x23)],
    ["many empty sequences", der(0x30, Buffer.alloc(5_900, Buffer.of(0x30, 0)))],
    ["some empty sequences", der(0x30, Buffer.alloc(580, Buffer.of(0x30, 0)))],
    ["indefinite lengths", Buffer.alloc(5_900, Buffer.of(0x30, 0x80))],
    ["some indefinite lengths", Buffer.alloc(590, Buffer.of(0x30, 0x80))],
    ["a number of 5,900 bytes", der(0x30, Buffer.concat([der(0x02, Buffer.alloc(5_880, 0x7f)), exponent]))],
    ["an exponent of maximum length", der(0x30, Buffer.concat([integer(3n), der(0x02, Buffer.alloc(580, 0x7f))]))],
    ["an object identifier of 580 bytes", der(0x30, Buffer.concat([der(0x30, der(0x06, Buffer.alloc(580, 0xff)))]))],
    ["zeros", Buffer.alloc(590)],
    ["ones", Buffer.alloc(590, 0xff)],
  ];

  test("structures built for high cost, within 10 ms", () => {
    const texts = bombs.flatMap(([name, bytes]) => [
      [name, base64(bytes)],
      [`${name}, in PEM`, `-----BEGIN PUBLIC KEY-----\n${base64(bytes)}\n-----END PUBLIC KEY-----`],
    ]);
    texts.push(["dashes", "-".repeat(8_192)], ["begins", "-----BEGIN PUBLIC KEY-----\n".repeat(300)]);
    texts.push(
      ["blanks in a PEM", `-----BEGIN PUBLIC KEY-----${" ".repeat(8_100)}x`],
      ["equals signs", "=".repeat(8_192)],
    );
    for (const [name = "", text = ""] of texts) {
      const times = [1, 2, 3].map(() => {
        const started = performance.now();
        expect(parse(text)).toBeUndefined();
        return performance.now() - started;
      });
      expect({ name, quick: Math.min(...times) < 10 }).toEqual({ name, quick: true });
    }
  });

  test("any changed byte of a good key", () => {
    const changes = fc.array(fc.tuple(fc.nat(spki.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(changes, (list) => {
        const bytes = Buffer.from(spki);
        for (const [at, change] of list) bytes.writeUInt8((bytes[at] ?? 0) ^ change, at);
        const parsed = parse(base64(bytes));
        if (parsed === undefined) return;
        // A remaining result is a different key: other digits of the modulus, still odd, and nothing else.
        expect(Buffer.from(parsed.spki).equals(bytes)).toBe(true);
        const details = createPublicKey({ key: bytes, format: "der", type: "spki" }).asymmetricKeyDetails;
        expect(details).toEqual({ modulusLength: parsed.bits, publicExponent: 65_537n });
      }),
    );
  });

  test("arbitrary text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 500 }), fc.base64String({ maxLength: 900 })), (text) => {
        expect(parse(text)).toBeUndefined();
      }),
    );
  });

  test("the server's own keys, in any form", () => {
    for (const text of [spkiPem, pkcs1Pem, base64(spki)]) {
      expect(parser.parse(text, [serverPair("rsa-3072").keyId, pair.keyId])).toBeUndefined();
      expect(parser.parse(text, new Set([serverPair("rsa-3072").keyId]))).toBeDefined();
      // Although the key is cached by now.
      expect(parser.parse(text, [pair.keyId])).toBeUndefined();
    }
  });
});

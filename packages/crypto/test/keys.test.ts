import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, randomBytes } from "node:crypto";
import { keyRefusals, type ServerKeyPair } from "@sallyport/core";
import { NodeServerKeys, ForgeClientKeyParser } from "@sallyport/crypto";
import { der, integer, pkcs1Inside, publicKeyDer, spkiOf } from "@sallyport/test-kit/crypto/der";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import fc from "fast-check";
import { privateKeyOf, serverPair } from "./stored-keys.ts";

const keys = new NodeServerKeys();

function pairFrom(kind: "rsa" | "jwt", name: string, passphrase?: string): ServerKeyPair {
  const imported = keys.import(kind, pemFile(name), passphrase);
  if ("refused" in imported) throw new Error(imported.refused);
  return imported.pair;
}

function refusalOf(kind: "rsa" | "jwt", pem: string, passphrase?: string): string | undefined {
  const imported = keys.import(kind, pem, passphrase);
  return "refused" in imported ? imported.refused : undefined;
}

test("an RSA pair has its thumbprint as id, PEM with CR LF, and PKCS#8", () => {
  const pair = pairFrom("rsa", "rsa-2048");
  const { e, kty, n } = createPublicKey(pair.publicKey).export({ format: "jwk" });
  expect(pair.kind).toBe("rsa");
  expect(pair.keyId).toBe(createHash("sha256").update(`{"e":"${e}","kty":"${kty}","n":"${n}"}`).digest("base64url"));
  expect(pair.publicKey.replaceAll("\r\n", "\n")).toBe(pemFile("rsa-2048.public"));
  expect(pair.publicKey).toMatch(
    /^-----BEGIN PUBLIC KEY-----\r\n(?:[A-Za-z0-9+/]{64}\r\n)+[A-Za-z0-9+/=]{1,64}\r\n-----END PUBLIC KEY-----\r\n$/,
  );
  const restored = createPrivateKey({ key: Buffer.from(pair.privateKey), format: "der", type: "pkcs8" });
  expect(restored.equals(createPrivateKey(pemFile("rsa-2048")))).toBe(true);
});

test("the thumbprint of the key in RFC 7638 matches", async () => {
  const { thumbprint } = await import("../src/node-server-keys.ts");
  const n =
    "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMst" +
    "n64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbIS" +
    "D08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
  const key = createPublicKey({ key: { kty: "RSA", n, e: "AQAB" }, format: "jwk" });
  expect(thumbprint(key)).toBe("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
});

test.each([
  ["rsa-2048.pkcs1", undefined],
  ["rsa-2048.pkcs1-encrypted", "open"],
  ["rsa-2048.pkcs8-encrypted", "open"],
  ["rsa-2048", "of no use"],
])("reads %s as the same pair", (name, passphrase) => {
  expect(pairFrom("rsa", name, passphrase)).toEqual(serverPair("rsa-2048"));
});

test.each([2048, 3072, 4096] as const)("reads RSA with %i bits", (bits) => {
  expect(privateKeyOf(pairFrom("rsa", `rsa-${bits}`)).asymmetricKeyDetails?.modulusLength).toBe(bits);
});

test("reads a file with CR LF, with text around the key, or with a certificate or parameters", () => {
  const pem = pemFile("rsa-2048");
  const texts = [pem.replaceAll("\n", "\r\n"), `our key\n${pem}\nkeep it\n`, pemFile("rsa-2048.certificate") + pem];
  for (const text of texts) expect(keys.import("rsa", text)).toEqual({ pair: serverPair("rsa-2048") });
  expect(pairFrom("jwt", "ec-p256-other.sec1-with-parameters").kind).toBe("jwt");
});

test("reads a token key from PKCS#8 and SEC1, and publishes it", () => {
  const pair = pairFrom("jwt", "ec-p256");
  expect(pairFrom("jwt", "ec-p256.sec1")).toEqual(pair);
  const { x, y } = createPublicKey(pemFile("ec-p256")).export({ format: "jwk" });
  expect(pair.keyId).toBe(
    createHash("sha256").update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest("base64url"),
  );
  expect(keys.jwk(pair)).toEqual({ kty: "EC", crv: "P-256", x, y, kid: pair.keyId, use: "sig", alg: "ES256" });
  expect(() => keys.jwk(serverPair("rsa-2048"))).toThrow(TypeError);
  expect(() => keys.jwk({ ...serverPair("rsa-2048"), kind: "jwt" })).toThrow(TypeError);
});

function altered(change: (jwk: JsonWebKey) => JsonWebKey): string {
  const jwk = change(createPrivateKey(pemFile("rsa-2048")).export({ format: "jwk" }));
  return createPrivateKey({ key: jwk, format: "jwk" }).export({ type: "pkcs1", format: "pem" }) as string;
}

const otherEnd = (text = "") => text.slice(0, -4) + (text.endsWith("AAAA") ? "BBBB" : "AAAA");

test.each([
  ["nothing", "rsa", "", undefined, "notPem"],
  ["text", "rsa", "no key", undefined, "notPem"],
  ["two private keys", "rsa", pemFile("rsa-2048") + pemFile("rsa-3072"), undefined, "notPem"],
  ["a key without an end", "rsa", pemFile("rsa-2048").slice(0, 800), undefined, "notPem"],
  ["DER", "rsa", Buffer.from(serverPair("rsa-2048").privateKey).toString("latin1"), undefined, "notPem"],
  ["a public key", "rsa", pemFile("rsa-2048.public"), undefined, "publicKey"],
  ["a public token key", "jwt", serverPair("ec-p256").publicKey, undefined, "publicKey"],
  ["a certificate", "rsa", pemFile("rsa-2048.certificate"), undefined, "certificate"],
  ["no passphrase for PKCS#8", "rsa", pemFile("rsa-2048.pkcs8-encrypted"), undefined, "passphraseMissing"],
  ["a blank passphrase", "rsa", pemFile("rsa-2048.pkcs8-encrypted"), "", "passphraseMissing"],
  ["no passphrase for PKCS#1", "rsa", pemFile("rsa-2048.pkcs1-encrypted"), undefined, "passphraseMissing"],
  ["a wrong passphrase for PKCS#8", "rsa", pemFile("rsa-2048.pkcs8-encrypted"), "shut", "passphraseWrong"],
  ["a wrong passphrase for PKCS#1", "rsa", pemFile("rsa-2048.pkcs1-encrypted"), "shut", "passphraseWrong"],
  ["unsupported encryption", "rsa", pemFile("rsa-2048.pkcs8-des"), "open", "damaged"],
  ["a damaged body", "rsa", pemFile("rsa-2048").replace("MII", "MIA"), undefined, "damaged"],
  ["an empty body", "rsa", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", undefined, "damaged"],
  ["EC for RSA", "rsa", pemFile("ec-p256"), undefined, "wrongType"],
  ["Ed25519 for RSA", "rsa", pemFile("ed25519"), undefined, "wrongType"],
  ["RSA-PSS for RSA", "rsa", pemFile("rsa-pss-2048"), undefined, "wrongType"],
  ["RSA for tokens", "jwt", pemFile("rsa-2048"), undefined, "wrongType"],
  ["Ed25519 for tokens", "jwt", pemFile("ed25519"), undefined, "wrongType"],
  ["P-384 for tokens", "jwt", pemFile("ec-p384"), undefined, "wrongCurve"],
  ["secp256k1 for tokens", "jwt", pemFile("ec-secp256k1"), undefined, "wrongCurve"],
  ["1024 bits", "rsa", pemFile("rsa-1024"), undefined, "tooSmall"],
  ["2052 bits", "rsa", pemFile("rsa-2052"), undefined, "unusualSize"],
  ["2560 bits", "rsa", pemFile("rsa-2560"), undefined, "unusualSize"],
  ["exponent 3", "rsa", pemFile("rsa-2048-exponent-3"), undefined, "exponent"],
  ["a foreign modulus", "rsa", altered((jwk) => ({ ...jwk, n: otherEnd(jwk.n) })), undefined, "inconsistent"],
  ["a foreign prime", "rsa", altered((jwk) => ({ ...jwk, p: otherEnd(jwk.p) })), undefined, "inconsistent"],
  ...(["d", "dp", "dq", "qi"] as const).map(
    (name) =>
      [
        `a foreign ${name}`,
        "rsa",
        altered((jwk) => ({ ...jwk, [name]: otherEnd(jwk[name]) })),
        undefined,
        "inconsistent",
      ] as const,
  ),
] as const)("refuses %s", (_name, kind, pem, passphrase, refusal) => {
  expect(refusalOf(kind, pem, passphrase)).toBe(refusal);
  expect(keyRefusals[refusal]).toMatch(/^Its? .*\.$/);
});

test("restores a pair from its private half only", () => {
  const rsa = serverPair("rsa-3072");
  const ec = serverPair("ec-p256");
  expect(keys.restore("rsa", rsa.privateKey)).toEqual(rsa);
  expect(keys.restore("jwt", ec.privateKey)).toEqual(ec);
  expect(keys.restore("jwt", rsa.privateKey)).toBeUndefined();
  expect(keys.restore("rsa", ec.privateKey)).toBeUndefined();
  expect(keys.restore("rsa", rsa.privateKey.subarray(1))).toBeUndefined();
  expect(keys.restore("rsa", new Uint8Array())).toBeUndefined();
  expect(keys.restore("rsa", privateKeyOf(rsa).export({ type: "pkcs1", format: "der" }))).toBeUndefined();
});

test("generates pairs of both kinds without blocking the event loop", async () => {
  const turn = new Promise((resolve) => {
    setImmediate(resolve, "a turn");
  });
  const generating = keys.generate({ kind: "rsa" });
  expect(await Promise.race([generating, turn])).toBe("a turn");
  const [rsa, ec, another] = await Promise.all([
    generating,
    keys.generate({ kind: "jwt" }),
    keys.generate({ kind: "jwt" }),
  ]);
  expect(privateKeyOf(rsa).asymmetricKeyDetails).toEqual({ modulusLength: 2_048, publicExponent: 65_537n });
  expect(privateKeyOf(ec).asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  for (const pair of [rsa, ec]) expect(keys.restore(pair.kind, pair.privateKey)).toEqual(pair);
  expect(ec.keyId).not.toBe(another.keyId);
});

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
    ["text", "this is no key"],
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
      fc.property(
        fc.oneof(fc.string({ maxLength: 500 }), fc.base64String({ maxLength: 900 })),
        (text) => parse(text) === undefined,
      ),
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

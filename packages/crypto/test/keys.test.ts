import { createHash, createPrivateKey, createPublicKey, type JsonWebKey } from "node:crypto";
import { keyRefusals, type ServerKeyPair } from "@sallyport/core";
import { NodeServerKeys } from "@sallyport/crypto";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
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

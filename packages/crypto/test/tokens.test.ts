import { createHmac, createPublicKey, createSign, type KeyObject, sign as rawSign } from "node:crypto";
import type { ServerPublicKey, TokenClaims, TokenExpectation } from "@sallyport/core";
import { JwtTokenSigner, JwtTokenVerifier, NodeServerKeys } from "@sallyport/crypto";
import fc from "fast-check";
import jsonwebtoken from "jsonwebtoken";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
import { privateKeyOf, serverPair } from "./stored-keys.ts";

const signer = new JwtTokenSigner();
const verifier = new JwtTokenVerifier();
const pair = serverPair("ec-p256");
const imported = new NodeServerKeys().import("jwt", pemFile("ec-p256-other.sec1-with-parameters"));
if ("refused" in imported) throw new Error(imported.refused);
const other = imported.pair;
const rsa = serverPair("rsa-2048");

const now = 1_800_000_000;
const claims: TokenClaims = {
  iss: "https://issuer.example",
  aud: "DEMO",
  sub: "42",
  sid: "a session",
  jti: "a token",
  iat: now - 60,
  exp: now + 600,
};
const keys: ReadonlyMap<string, ServerPublicKey> = new Map([pair, other].map((key) => [key.keyId, key]));
const expected: TokenExpectation = { keys, issuer: claims.iss, audience: claims.aud, now };
const verify = (token: string, change: Partial<TokenExpectation> = {}) =>
  verifier.verify(token, { ...expected, ...change });

const order = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
const encode = (text: string | Uint8Array) => Buffer.from(text).toString("base64url");
const goodHeader = { alg: "ES256", typ: "JWT", kid: pair.keyId };
const header = JSON.stringify(goodHeader);
const payload = JSON.stringify(claims);

/** Signs any two texts like the signer: with the smaller s. */
function signTexts(head: string, body: string, key: KeyObject = privateKeyOf(pair)): string {
  const input = `${encode(head)}.${encode(body)}`;
  const signature = rawSign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
  const s = BigInt(`0x${signature.subarray(32).toString("hex")}`);
  if (s > order / 2n) signature.set(Buffer.from((order - s).toString(16).padStart(64, "0"), "hex"), 32);
  return `${input}.${encode(signature)}`;
}
const withHeader = (head: object) => signTexts(JSON.stringify(head), payload);
const withClaims = (change: object) => signTexts(header, JSON.stringify({ ...claims, ...change }));
const token = signer.sign(claims, pair);
const [head = "", body = "", signature = ""] = token.split(".");

describe("token", () => {
  test("is read as it was signed", () => {
    const text = fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" });
    const any = fc.record({
      iss: text,
      aud: text,
      sub: text,
      sid: text,
      jti: text,
      iat: fc.nat(now),
      exp: fc.integer({ min: now + 1, max: now * 2 }),
    });
    fc.assert(
      fc.property(any, fc.constantFrom(pair, other), (some, key) => {
        const signed = signer.sign(some, key);
        expect(verify(signed, { issuer: some.iss, audience: some.aud })).toEqual(some);
        expect(verify(signed, { issuer: `${some.iss}x`, audience: some.aud })).toBeUndefined();
        expect(verify(signed, { issuer: some.iss, audience: `${some.aud}x` })).toBeUndefined();
      }),
    );
  });

  test("has all required claims, and is valid for another library with the published key", () => {
    expect(JSON.parse(Buffer.from(head, "base64url").toString())).toEqual(goodHeader);
    expect(JSON.parse(Buffer.from(body, "base64url").toString())).toEqual(claims);
    const { kid: _, use: __, alg: ___, ...jwk } = new NodeServerKeys().jwk(pair);
    const key = createPublicKey({ key: jwk, format: "jwk" });
    expect(jsonwebtoken.verify(token, key, { algorithms: ["ES256"], clockTimestamp: now })).toEqual(claims);
  });

  test("built by hand is valid, so that the refusals below have their own reasons", () => {
    expect(verify(signTexts(header, payload))).toEqual(claims);
    expect(verify(withClaims({ more: [{ deep: 1 }] }))).toEqual(claims);
  });

  test("always has the smaller of two signatures", () => {
    for (let index = 0; index < 40; index++) {
      const signed = signer.sign({ ...claims, jti: String(index) }, pair);
      expect(Buffer.from(signed.split(".")[2] ?? "", "base64url").readUInt8(32)).toBeLessThan(0x80);
      expect(verify(signed)).toBeDefined();
    }
  });

  test("is valid up to the last second before it expires, regardless of the machine's clock", () => {
    expect(verify(token, { now: claims.exp - 1 })).toEqual(claims);
    for (const at of [claims.exp, claims.exp + 1, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(verify(token, { now: at })).toBeUndefined();
    }
    expect(verify(token, { now: 0 })).toEqual(claims);
  });
});

describe("the signer refuses", () => {
  test.each([
    ["a blank claim", { sub: "" }],
    ["a claim that is not text", { sid: 7 }],
    ["a missing claim", { jti: undefined }],
    ["a broken time", { exp: now + 0.5 }],
    ["times in the wrong order", { exp: now - 61 }],
    ["a claim that would make the token too long", { sub: "x".repeat(1_025) }],
    ["claims that together make the token too long", { sub: "ü".repeat(1_000), sid: "ü".repeat(1_000) }],
    ["half a surrogate pair", { sub: "\ud800".repeat(1_024), sid: "\ud800".repeat(1_024) }],
  ])("%s", (_name, change) => {
    expect(() => signer.sign({ ...claims, ...change } as TokenClaims, pair)).toThrow(TypeError);
  });

  test("a key of another kind", () => {
    expect(() => signer.sign(claims, rsa)).toThrow(TypeError);
  });
});

describe("the verifier refuses", () => {
  const spki = createPublicKey(pair.publicKey).export({ type: "spki", format: "der" });
  const hmac = (secret: string | Buffer, kid = pair.keyId) => {
    const input = `${encode(JSON.stringify({ alg: "HS256", typ: "JWT", kid }))}.${encode(payload)}`;
    return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`;
  };
  const lf = pair.publicKey.replaceAll("\r\n", "\n");
  const jwk = new NodeServerKeys().jwk(pair);

  test.each([
    ["the PEM with CR LF", pair.publicKey],
    ["the PEM with LF", lf],
    ["the PEM without its end", lf.trim()],
    ["the PEM without line breaks", lf.replaceAll("\n", "")],
    ["base64 of SPKI", spki.toString("base64")],
    ["SPKI", spki],
    ["the point", spki.subarray(-65)],
    ["the JWK", JSON.stringify(jwk)],
    ["x", Buffer.from(jwk.x, "base64url")],
    ["nothing", ""],
  ])("HS256 with the public key as secret: %s", (_name, secret) => {
    expect(verify(hmac(secret))).toBeUndefined();
  });

  test.each([
    ["none", "none"],
    ["None", "None"],
    ["NONE", "NONE"],
    ["nothing", ""],
    ["ES384", "ES384"],
    ["ES256K", "ES256K"],
    ["es256", "es256"],
    ["RS256", "RS256"],
    ["PS256", "PS256"],
    ["EdDSA", "EdDSA"],
  ])("algorithm %s", (_name, alg) => {
    const signed = withHeader({ ...goodHeader, alg });
    expect(verify(signed)).toBeUndefined();
    const unsigned = signed.slice(0, signed.lastIndexOf("."));
    for (const end of ["", ".", `.${encode("")}`, "..", `.${encode(Buffer.alloc(64))}`])
      expect(verify(unsigned + end)).toBeUndefined();
  });

  test("RS256 with a server key of the other kind", () => {
    const input = `${encode(JSON.stringify({ alg: "RS256", typ: "JWT", kid: rsa.keyId }))}.${encode(payload)}`;
    const signed = `${input}.${createSign("sha256").update(input).sign(privateKeyOf(rsa), "base64url")}`;
    expect(verify(signed, { keys: new Map([[rsa.keyId, rsa]]) })).toBeUndefined();
    expect(verify(signed, { keys: new Map([[rsa.keyId, { ...rsa, kind: "jwt" }]]) })).toBeUndefined();
  });

  test.each([
    "__proto__",
    "constructor",
    "toString",
    "",
    "0",
    "../../../../dev/null",
    "/etc/passwd",
    "file:///dev/null",
    "https://evil.example/key.pem",
    "' or 1=1 --",
    `${pair.keyId}\0`,
    ` ${pair.keyId}`,
    pair.keyId.toLowerCase(),
    other.keyId,
  ])("kid %j", (kid) => {
    expect(verify(withHeader({ ...goodHeader, kid }))).toBeUndefined();
  });

  test.each([
    ["no kid", { alg: "ES256", typ: "JWT" }],
    ["kid null", { ...goodHeader, kid: null }],
    ["kid as a list", { ...goodHeader, kid: [pair.keyId] }],
    ["kid as an object", { ...goodHeader, kid: { toString: pair.keyId } }],
    ["no typ", { alg: "ES256", kid: pair.keyId }],
    ["another typ", { ...goodHeader, typ: "at+jwt" }],
    ["typ in lower case", { ...goodHeader, typ: "jwt" }],
    ["typ JOSE", { ...goodHeader, typ: "JOSE" }],
    ["no alg", { typ: "JWT", kid: pair.keyId }],
    ["alg as a list", { ...goodHeader, alg: ["ES256"] }],
    ["crit", { ...goodHeader, crit: ["exp"] }],
    ["an empty crit", { ...goodHeader, crit: [] }],
    ["b64", { ...goodHeader, b64: false, crit: ["b64"] }],
    ["jwk", { ...goodHeader, jwk }],
    ["jku", { ...goodHeader, jku: "https://evil.example/jwks.json" }],
    ["x5u", { ...goodHeader, x5u: "https://evil.example/key.pem" }],
    ["cty", { ...goodHeader, cty: "JWT" }],
    ["zip", { ...goodHeader, zip: "DEF" }],
    ["a list", ["ES256"]],
  ])("a header with %s", (_name, wrong) => {
    expect(verify(withHeader(wrong))).toBeUndefined();
  });

  test.each([
    ["a duplicate member", header.replace("{", '{"alg":"none",')],
    ["a duplicate kid", header.replace("}", `,"kid":"${pair.keyId}"}`)],
    ["a prototype", header.replace("{", '{"__proto__":{"alg":"ES256"},')],
    ["blanks", header.replaceAll(",", ", ")],
    ["an escaped name", header.replace("alg", String.raw`\u0061lg`)],
    ["a byte order mark", `\ufeff${header}`],
    ["text after it", `${header} `],
    ["nothing", ""],
    ["null", "null"],
    ["a number", "1"],
    ["invalid JSON", "{"],
  ])("a header as text with %s", (_name, text) => {
    expect(verify(signTexts(text, payload))).toBeUndefined();
  });

  test.each([
    ["a duplicate sub", payload.replace("{", '{"sub":"1",')],
    ["a duplicate exp at the end", payload.replace("}", `,"exp":${now + 9_999}}`)],
    ["a duplicate name, escaped", payload.replace("}", String.raw`,"\u0073ub":"1"}`)],
    ["blanks", payload.replaceAll(":", ": ")],
    ["a time with an exponent", payload.replace(`${claims.exp}`, "18e8")],
    ["a time with a point", payload.replace(`${claims.exp}`, `${claims.exp}.0`)],
    ["NaN", payload.replace(`${claims.exp}`, "NaN")],
    ["Infinity", payload.replace(`${claims.exp}`, "1e999")],
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from('{"sub":"'), Buffer.of(0xff), Buffer.from(`",${payload.slice(1)}`)]).toString(
        "latin1",
      ),
    ],
    ["nothing", ""],
    ["null", "null"],
    ["a list", `[${payload}]`],
    ["text", JSON.stringify("payload")],
  ])("a payload with %s", (_name, text) => {
    expect(verify(signTexts(header, text))).toBeUndefined();
  });

  test.each(["iss", "aud", "sub", "sid", "jti", "iat", "exp"] as const)("a missing or mistyped %s", (name) => {
    const wrong: unknown[] = [undefined, null, "", true, {}, [], [claims[name]], { value: claims[name] }];
    wrong.push(typeof claims[name] === "string" ? 7 : String(claims[name]));
    for (const value of wrong) expect(verify(withClaims({ [name]: value }))).toBeUndefined();
  });

  test.each(["iat", "exp", "nbf"] as const)("a %s that is not a time", (name) => {
    const wrong = ["1800000000", -1, 0.5, now + 0.5, 2 ** 53, 1e300, 253_402_300_800, null, true, [now], "NaN", ""];
    for (const value of wrong) expect(verify(withClaims({ [name]: value }))).toBeUndefined();
  });

  test("times in the wrong order, in the past or in the future", () => {
    for (const change of [{ iat: now + 601 }, { exp: now }, { exp: now - 1 }, { exp: 0, iat: 0 }, { nbf: now + 1 }]) {
      expect(verify(withClaims(change))).toBeUndefined();
    }
    expect(verify(withClaims({ nbf: now }))).toEqual(claims);
    expect(verify(withClaims({ iat: now + 5 }))).toMatchObject({ iat: now + 5 });
  });

  test.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["an issuer with a slash", { iss: `${claims.iss}/` }],
    ["an issuer in a list", { iss: [claims.iss] }],
    ["another database", { aud: "OTHER" }],
    ["a database in other case", { aud: "demo" }],
    ["two databases", { aud: ["DEMO", "OTHER"] }],
  ])("%s", (_name, change) => {
    expect(verify(withClaims(change))).toBeUndefined();
  });

  test("everything when the expected value is blank", () => {
    expect(verify(token, { issuer: "" })).toBeUndefined();
    expect(verify(token, { audience: "" })).toBeUndefined();
    expect(verify(token, { keys: new Map() })).toBeUndefined();
  });

  test.each([
    ["nothing", ""],
    ["a dot", "."],
    ["dots", "..."],
    ["a leading dot", `.${token}`],
    ["a trailing dot", `${token}.`],
    ["a fourth part", `${token}.${signature}`],
    ["two dots", token.replace(".", "..")],
    ["no signature", `${head}.${body}`],
    ["an empty signature", `${head}.${body}.`],
    ["Bearer", `Bearer ${token}`],
    ["a leading blank", ` ${token}`],
    ["a trailing line break", `${token}\n`],
    ["padding", `${token}==`],
    ["padding in the header", `${head}=.${body}.${signature}`],
    ["a zero byte", `${token}\0`],
    ["a character outside the alphabet", `${head}.${body}.${signature.slice(0, -1)}é`],
    ["the header of another", `${encode(JSON.stringify({ ...goodHeader, kid: other.keyId }))}.${body}.${signature}`],
    ["the payload of another", `${head}.${encode(JSON.stringify({ ...claims, sub: "1" }))}.${signature}`],
    ["the signature of another", `${head}.${body}.${signer.sign({ ...claims, sub: "1" }, pair).split(".")[2]}`],
    ["the JSON serialization", JSON.stringify({ payload: body, signatures: [{ protected: head, signature }] })],
    ["4,097 characters", withClaims({ more: "x".repeat(3_500) }).padEnd(4_097, "A")],
    ["a good token of more than 4,096 characters", withClaims({ more: "x".repeat(3_500) })],
    ["a megabyte", `${head}.${"A".repeat(1_048_576)}.${signature}`],
    ["a megabyte of dots", ".".repeat(1_048_576)],
  ])("%s", (_name, text) => {
    expect(verify(text)).toBeUndefined();
  });

  test("another spelling of the same signature", () => {
    const bytes = Buffer.from(signature, "base64url");
    const high = order - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
    const mirrored = Buffer.concat([bytes.subarray(0, 32), Buffer.from(high.toString(16).padStart(64, "0"), "hex")]);
    const mirroredToken = `${head}.${body}.${encode(mirrored)}`;
    // The signature is valid, which is why it must be refused.
    expect(jsonwebtoken.verify(mirroredToken, pair.publicKey, { algorithms: ["ES256"], clockTimestamp: now })).toEqual(
      claims,
    );
    expect(verify(mirroredToken)).toBeUndefined();

    const last = signature.at(-1) ?? "";
    const alike = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].filter(
      (digit) => digit !== last && Buffer.from(signature.slice(0, -1) + digit, "base64url").equals(bytes),
    );
    expect(alike).toHaveLength(15);
    for (const digit of alike) expect(verify(`${head}.${body}.${signature.slice(0, -1)}${digit}`)).toBeUndefined();

    const derSignature = rawSign("sha256", Buffer.from(`${head}.${body}`), privateKeyOf(pair));
    const longer = [
      derSignature,
      Buffer.concat([bytes, Buffer.of(0)]),
      Buffer.concat([Buffer.of(0), bytes]),
      bytes.subarray(1),
    ];
    for (const wrong of longer) expect(verify(`${head}.${body}.${encode(wrong)}`)).toBeUndefined();
  });

  test.each([
    ["r and s of 0", 0n, 0n],
    ["s of 0", 1n, 0n],
    ["r of 0", 0n, 1n],
    ["r and s of 1", 1n, 1n],
    ["r of the order", order, 1n],
    ["s of the order", 1n, order],
    ["the largest numbers", 2n ** 256n - 1n, order / 2n],
  ])("%s", (_name, r, s) => {
    const bytes = Buffer.from([r, s].map((part) => part.toString(16).padStart(64, "0")).join(""), "hex");
    expect(verify(`${head}.${body}.${encode(bytes)}`)).toBeUndefined();
  });

  test("every token with one changed character", () => {
    for (let at = 0; at < token.length; at += 3) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect(verify(changed)).toBeUndefined();
    }
  });

  test("a signature by a foreign key", () => {
    expect(verify(signTexts(header, payload, privateKeyOf(other)))).toBeUndefined();
  });
});

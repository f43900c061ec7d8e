import { createHash, createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";
import type { RunningServer } from "../../src/index.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { goodFields } from "./credentials.ts";
import { post, type Reply, send } from "./send.ts";
import { serverSigningKey, storedServerKeys } from "./stored-keys.ts";

type Members = Readonly<Record<string, unknown>>;

const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const pack = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);

/** A signature of the server's own key, the smaller or the larger one of the two. */
function signature(text: string, { larger = false, key = serverSigningKey } = {}): string {
  const bytes = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  const s = BigInt(`0x${bytes.subarray(32).toString("hex")}`);
  const wanted = s > order / 2n === larger ? s : order - s;
  return Buffer.concat([bytes.subarray(0, 32), Buffer.from(wanted.toString(16).padStart(64, "0"), "hex")]).toString(
    "base64url",
  );
}

/** Tokens that an attacker makes, changes or repeats. */
describe("tokens", () => {
  let postgres: PostgresFixture;
  let server: RunningServer;
  /** A token of the server, with its parts. */
  let token: string;
  let header: Members;
  let claims: Members & { readonly sid: string };
  let sessionId: string;
  let jwks: Members;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    server = await postgres.demo(storedServerKeys);
    token = await logIn();
    [header, claims] = token
      .split(".")
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString())) as [Members, typeof claims];
    sessionId = JSON.parse((await post(`${server.url}/v1/login`, goodFields)).text).data.sessionId;
    jwks = createPublicKey(serverSigningKey).export({ format: "jwk" }) as Members;
  }, 60_000);
  afterAll(() => postgres.close());

  const logIn = async (user = "demo"): Promise<string> => {
    const answer = await post(`${server.url}/v2/login`, { ...goodFields, user, pass: user });
    expect(answer.code).toBe("0");
    return JSON.parse(answer.text).data.token;
  };
  const check = (authorization: string, at = server.url): Promise<Reply> =>
    send(`${at}/_CheckSession`, { headers: { authorization } });
  const signed = (changed: Members, changedHeader: Members = {}) =>
    signedText({ ...header, ...changedHeader }, { ...claims, ...changed });
  const signedText = (head: unknown, body: unknown, options = {}) => {
    const text = `${pack(head)}.${pack(body)}`;
    return `${text}.${signature(text, options)}`;
  };
  const mac = (key: string | Buffer, head: Members = {}) => {
    const text = `${pack({ ...header, alg: "HS256", ...head })}.${pack(claims)}`;
    return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
  };
  const rsa = (alg: string) => {
    const text = `${pack({ ...header, alg })}.${pack(claims)}`;
    return `${text}.${sign("sha256", Buffer.from(text), pemFile("rsa-2048")).toString("base64url")}`;
  };
  const publicPem = () => createPublicKey(serverSigningKey).export({ type: "spki", format: "pem" }) as string;

  test("have the form that these tests construct", async () => {
    expect(header).toEqual({ alg: "ES256", typ: "JWT", kid: expect.any(String) });
    expect((await check(signed({}))).code).toBe("0");
    expect((await check(signed({ jti: "another", extra: "ignored" }))).code).toBe("0");
  });

  test.each([
    ["bare", (text: string) => text, "0"],
    ["after Bearer", (text: string) => `Bearer ${text}`, "0"],
    ["after bearer in another case", (text: string) => `bEARER ${text}`, "0"],
    ["after Bearer and blanks", (text: string) => `  Bearer    ${text}  `, "0"],
    ["after Bearer without a blank", (text: string) => `Bearer${text}`, "203"],
    ["after Bearer twice", (text: string) => `Bearer Bearer ${text}`, "203"],
    ["after Bearer and a tab", (text: string) => `Bearer\t${text}`, "203"],
    ["after Basic", (text: string) => `Basic ${text}`, "203"],
    ["after JWT", (text: string) => `JWT ${text}`, "203"],
    ["in quotes", (text: string) => `"${text}"`, "203"],
    ["with a suffix", (text: string) => `${text} x`, "203"],
    ["without a token", () => "Bearer", "203"],
    ["of 15,000 blanks", () => `Bearer ${" ".repeat(15_000)}x`, "203"],
  ])("accepts or refuses a token %s", async (_title, spell, expected) => {
    expect((await check(spell(token))).code).toBe(expected);
  });

  describe("are refused with the same answer", () => {
    const attacks: Readonly<Record<string, () => string>> = {
      "with alg none": () => `${pack({ ...header, alg: "none" })}.${pack(claims)}.`,
      "with alg None and the old signature": () =>
        `${pack({ ...header, alg: "None" })}.${token.split(".").slice(1).join(".")}`,
      "without a signature": () => `${token.split(".").slice(0, 2).join(".")}.`,
      "of two parts": () => token.split(".").slice(0, 2).join("."),
      "of four parts": () => `${token}.${token.split(".")[2]}`,
      "of five parts": () => `${pack({ alg: "dir", enc: "A256GCM" })}..AAAA.AAAA.AAAA`,
      "with HS256 and the public key as PEM": () => mac(publicPem()),
      "with HS256 and the public key as PEM with CR LF": () => mac(publicPem().replaceAll("\n", "\r\n")),
      "with HS256 and the public key as DER": () =>
        mac(createPublicKey(serverSigningKey).export({ type: "spki", format: "der" })),
      "with HS256 and the public key as JWK": () => mac(JSON.stringify(jwks)),
      "with HS256 and an empty secret": () => mac(""),
      "with HS256 and the key id": () => mac(String(header["kid"])),
      "with RS256 and the server's RSA key": () => rsa("RS256"),
      "with PS256": () => rsa("PS256"),
      "with an RSA signature under ES256": () => rsa("ES256"),
      "with ES384": () => signed({}, { alg: "ES384" }),
      "with alg in another case": () => signed({}, { alg: "es256" }),
      "with a list of algs": () => signed({}, { alg: ["ES256"] }),
      "signed by a foreign key": () =>
        signedText(header, claims, { key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey }),
      "with a key of its own in the header": () => signed({}, { jwk: jwks }),
      "with the address of a key in the header": () => signed({}, { jku: "https://evil.example/jwks.json" }),
      "with critical extensions": () => signed({}, { crit: ["b64"], b64: false }),
      "of another type": () => signed({}, { typ: "at+jwt" }),
      "without a type": () => signedText({ alg: "ES256", kid: header["kid"] }, claims),
      "without a key id": () => signedText({ alg: "ES256", typ: "JWT" }, claims),
      "with the mirrored signature": () => signedText(header, claims, { larger: true }),
      "with a signature of zeros": () =>
        `${token.split(".").slice(0, 2).join(".")}.${Buffer.alloc(64).toString("base64url")}`,
      "with a signature in DER": () => {
        const text = token.split(".").slice(0, 2).join(".");
        return `${text}.${sign("sha256", Buffer.from(text), serverSigningKey).toString("base64url")}`;
      },
      "with padding": () =>
        token
          .split(".")
          .map((part) => part.padEnd(Math.ceil(part.length / 4) * 4, "="))
          .join("."),
      "in the other alphabet": () =>
        `${pack({ ...header })}.${Buffer.from(JSON.stringify({ ...claims, x: "???>>>" })).toString("base64")}.${"A".repeat(86)}`,
      "with a line break": () => `${token.slice(0, 20)}%0A${token.slice(20)}`,
      "as JSON": () =>
        JSON.stringify({
          payload: token.split(".")[1],
          protected: token.split(".")[0],
          signature: token.split(".")[2],
        }),
      "with a duplicate member": () =>
        signedText(header, JSON.stringify(claims).replace("{", `{"sid":${JSON.stringify(claims.sid)},`)),
      "with a duplicate header member": () => signedText(JSON.stringify(header).replace("{", '{"alg":"none",'), claims),
      "with blanks in the JSON": () => signedText(header, JSON.stringify(claims, null, 1)),
      "with a list of claims": () => signedText(header, [claims]),
      "with a text as claims": () => signedText(header, '"claims"'),
      "with bytes that are not UTF-8": () => {
        const text = `${pack(header)}.${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}`;
        return `${text}.${signature(text)}`;
      },
      "with more than 4,096 characters": () => signed({ extra: "x".repeat(4_000) }),
      "for another audience": () => signed({ aud: "somebody else" }),
      "for several audiences": () => signed({ aud: [claims["aud"], "somebody else"] }),
      "without an audience": () => signed({ aud: undefined }),
      "of another issuer": () => signed({ iss: "somebody else" }),
      "without an issuer": () => signed({ iss: undefined }),
      "without a subject": () => signed({ sub: undefined }),
      "of no session": () => signed({ sid: undefined }),
      "of an unknown session": () => signed({ sid: `token.${"a".repeat(64)}` }),
      "of a session by its id": () => signed({ sid: `session.${sessionId}` }),
      "of a session in capital letters": () => signed({ sid: claims.sid.toUpperCase().replace("TOKEN", "token") }),
      "of a session without a mode": () => signed({ sid: claims.sid.slice("token.".length) }),
      "of a secure session": () => signed({ sid: claims.sid.replace("token.", "secure.") }),
      "of its own session in another mode": () => signed({ sid: claims.sid.replace("token.", "session.") }),
      "of a session of another mode": () =>
        signed({ sid: `token.${createHash("sha256").update(sessionId).digest("hex")}` }),
      "of two sessions": () => signed({ sid: [claims.sid] }),
    };
    const keyIds = [
      "__proto__",
      "constructor",
      "toString",
      "",
      "../../etc/passwd",
      "/dev/null",
      "' or 1=1 --",
      "unknown",
      "a".repeat(1_000),
    ];
    const times: readonly [string, Members][] = [
      ["expired", { exp: now() - 1, iat: now() - 100 }],
      ["expired since 1970", { exp: 0, iat: 0 }],
      ["expiring never", { exp: undefined }],
      ["expiring in 1e300", { exp: 1e300 }],
      ["expiring after the year 9999", { exp: 253_402_300_800 }],
      ["expiring at a fraction", { exp: now() + 100.5 }],
      ["expiring as text", { exp: String(now() + 100) }],
      ["expiring below zero", { exp: -1 }],
      ["expiring at null", { exp: null }],
      ["expiring before it was issued", { exp: now() + 100, iat: now() + 200 }],
      ["issued at an invalid time", { iat: undefined }],
      ["issued as text", { iat: "0" }],
      ["not valid before tomorrow", { nbf: now() + 86_400 }],
      ["not valid before a text", { nbf: "0" }],
      ["not valid before null", { nbf: null }],
    ];
    const all = {
      ...attacks,
      ...Object.fromEntries(keyIds.map((kid) => [`with the key id ${kid.slice(0, 20)}`, () => signed({}, { kid })])),
      ...Object.fromEntries(
        [0, null, ["x"], { kty: "EC" }].map((kid) => [
          `with a key id ${JSON.stringify(kid)}`,
          () => signed({}, { kid }),
        ]),
      ),
      ...Object.fromEntries(times.map(([title, changed]) => [title, () => signed(changed)])),
    };

    test.each(Object.entries(all))("%s", async (_title, make) => {
      const refused = await check(make());
      expect(refused.status).toBe(401);
      expect(refused.text).toBe('{"status":{"internalStatus":"203","statusMessage":"Token is invalid"}}');
    });
  });

  test("of one database are invalid in another", async () => {
    expect((await check(token, `${server.url}/second`)).code).toBe("203");
    const there = server.databases.get("second");
    expect((await check(signed({ aud: there?.name }), `${server.url}/second`)).code).toBe("203");
    expect((await check(signed({ aud: there?.name }))).code).toBe("203");
  });

  test("do not contain the session id", async () => {
    for (const guess of [claims.sid, claims.sid.slice("token.".length), String(claims["jti"])]) {
      expect((await send(`${server.url}/_CheckSession`, { headers: { sessionid: guess } })).code).toBe("201");
      expect((await send(`${server.url}/_CheckSession`, { headers: { "secure-token": guess } })).code).toBe("203");
    }
  });

  test("end with the log-out", async () => {
    const mine = await logIn();
    expect((await check(mine)).code).toBe("0");
    expect(
      (await send(`${server.url}/v1/logout`, { method: "POST", headers: { authorization: `Bearer ${mine}` } })).code,
    ).toBe("0");
    for (const path of ["/_CheckSession", "/v1/objects/Customer"]) {
      expect((await send(server.url + path, { headers: { authorization: mine } })).code).toBe("203");
    }
    expect((await check(token)).code).toBe("0");
  });

  test("end at once when the user is disabled or the secret changes", async () => {
    const { accounts } = server.databases.get("")?.storage.repositories ?? {};
    const { account } = (await accounts?.find({ realm: "database", loginName: "reader" }, [])) ?? {};
    if (!accounts || !account) throw new Error("The demo has no reader.");
    const theirs = await logIn("reader");
    await accounts.change(account.userId, { disabled: true });
    expect((await check(theirs)).code).toBe("203");
    await accounts.change(account.userId, { disabled: false });
    expect((await check(theirs)).code).toBe("0");
    expect(await accounts.setSecret(account.userId, account.secret, account.secretVersion)).toBe("stored");
    expect((await check(theirs)).code).toBe("203");
  });

  test("end with the session, regardless of their own expiry", async () => {
    const mine = await logIn();
    const [, payload = ""] = mine.split(".");
    const { sid } = JSON.parse(Buffer.from(payload, "base64url").toString());
    const digest = Buffer.from(sid.slice("token.".length), "hex");
    const expire = "update sallyport_demo.sessions set expires_at = now() - interval '1 ms' where digest = $1";
    expect((await postgres.sql.query(expire, [digest])).rowCount).toBe(1);
    expect((await check(mine)).code).toBe("203");
  });
});

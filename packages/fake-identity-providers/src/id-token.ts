import { createHmac, createSign, generateKeyPair, type JsonWebKey, type KeyObject, randomUUID } from "node:crypto";
import { promisify } from "node:util";

export interface IdTokenContent {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  readonly nonce: string | null;
  /** Additional claims. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Seconds since 1970. */
  readonly now: number;
}

const lifetime = 3_600;
const stranger = "nobody-here-knows-me";

/** A valid id token, or one with the given fault; `null` for a missing token. */
export async function idToken(
  keys: SigningKeys,
  content: IdTokenContent,
  fault: TokenFault | undefined,
): Promise<string | null> {
  const { issuer, clientId, subject, nonce, now } = content;
  const claims = {
    iss: issuer,
    aud: clientId,
    sub: subject,
    iat: now,
    exp: now + lifetime,
    ...(nonce === null ? {} : { nonce }),
    ...content.claims,
  };
  const payload = JSON.stringify(claims);
  if (fault === undefined) return keys.signed(payload);
  if (Object.hasOwn(wrongClaims, fault)) {
    const changes = wrongClaims[fault as keyof typeof wrongClaims](content);
    return keys.signed(JSON.stringify({ ...claims, ...changes }));
  }
  return wrongTokens[fault as keyof typeof wrongTokens](keys, payload);
}

type Changes = (content: IdTokenContent) => Readonly<Record<string, unknown>>;

/** Faulty claims. */
const wrongClaims = {
  otherAudience: () => ({ aud: stranger }),
  severalAudiences: ({ clientId }) => ({ aud: [clientId, stranger] }),
  otherParty: () => ({ azp: stranger }),
  otherIssuer: ({ issuer }) => ({ iss: `${issuer}.example` }),
  otherDirectory: () => ({ tid: "33333333-3333-4333-8333-333333333333" }),
  expired: ({ now }) => ({ iat: now - 2 * lifetime, exp: now - lifetime }),
  old: ({ now }) => ({ iat: now - lifetime / 2 }),
  ahead: ({ now }) => ({ iat: now + lifetime / 2 }),
  noExpiry: () => ({ exp: undefined }),
  noNonce: () => ({ nonce: undefined }),
  otherNonce: () => ({ nonce: "n".repeat(43) }),
  noSubject: () => ({ sub: undefined }),
  longSubject: () => ({ sub: "1".repeat(256) }),
  numericSubject: () => ({ sub: 1234567890 }),
  listedSubject: ({ subject }) => ({ sub: [subject] }),
} as const satisfies Readonly<Record<string, Changes>>;

type Making = (keys: SigningKeys, payload: string) => Promise<string | null> | string | null;

/** Tokens with faults other than in the claims. */
const wrongTokens = {
  foreignKey: (keys, payload) => keys.signedByForeignKey(payload),
  unknownKey: (keys, payload) => keys.signedByForeignKey(payload, "a-key-that-is-not-published"),
  noKeyName: (keys, payload) => keys.signed(payload, { kid: undefined }),
  unsigned: (_keys, payload) => `${contentOf({ alg: "none", typ: "JWT" }, payload)}.`,
  signedByPublicKey: (keys, payload) => keys.signedByPublicKey(payload),
  memberTwice: (keys, payload) => keys.signed(`{"sub":"${stranger}",${payload.slice(1)}`),
  accessTokenType: (keys, payload) => keys.signed(payload, { typ: "at+jwt" }),
  noToken: () => null,
} as const satisfies Readonly<Record<string, Making>>;

/** A fault in the next id tokens of a fake provider. */
export type TokenFault = keyof typeof wrongClaims | keyof typeof wrongTokens;

export const tokenFaults = [...Object.keys(wrongTokens), ...Object.keys(wrongClaims)] as readonly TokenFault[];

interface KeyPair {
  readonly id: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Signing keys of a fake provider. The last one is in use. They are created on demand or by `prepare`. */
export class SigningKeys {
  private pairs: Promise<readonly KeyPair[]> | null = null;
  private foreign: Promise<KeyPair> | null = null;

  /** Replaces the keys. The previous ones are no longer published. */
  async rotate(): Promise<void> {
    this.pairs = newPair().then((pair) => [pair]);
    await this.pairs;
  }

  /** Creates the keys now, so that the first log-in does not have to wait. */
  async prepare(): Promise<void> {
    this.foreign ??= newPair();
    await Promise.all([this.all(), this.foreign]);
  }

  async published(): Promise<{ keys: JsonWebKey[] }> {
    const pairs = await this.all();
    return {
      keys: pairs.map(({ id, publicKey }) => ({
        ...publicKey.export({ format: "jwk" }),
        kid: id,
        use: "sig",
        alg: "RS256",
      })),
    };
  }

  async signed(payload: string, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const pair = await this.current();
    return signedBy(pair.privateKey, { alg: "RS256", kid: pair.id, typ: "JWT", ...header }, payload);
  }

  /** Signs with an unpublished key. `id` defaults to that of the current key. */
  async signedByForeignKey(payload: string, id?: string): Promise<string> {
    this.foreign ??= newPair();
    const [own, foreign] = await Promise.all([this.current(), this.foreign]);
    return signedBy(foreign.privateKey, { alg: "RS256", kid: id ?? own.id, typ: "JWT" }, payload);
  }

  /** A token for the algorithm confusion attack: HS256 with the public key as its secret. */
  async signedByPublicKey(payload: string): Promise<string> {
    const { id, publicKey } = await this.current();
    const content = contentOf({ alg: "HS256", kid: id, typ: "JWT" }, payload);
    const secret = publicKey.export({ type: "spki", format: "pem" });
    return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
  }

  private all(): Promise<readonly KeyPair[]> {
    this.pairs ??= newPair().then((pair) => [pair]);
    return this.pairs;
  }

  private async current(): Promise<KeyPair> {
    return (await this.all()).at(-1) as KeyPair;
  }
}

const signedBy = (key: KeyObject, header: object, payload: string) => {
  const content = contentOf(header, payload);
  return `${content}.${createSign("sha256").update(content).sign(key, "base64url")}`;
};

const contentOf = (header: object, payload: string) => `${encoded(JSON.stringify(header))}.${encoded(payload)}`;

const encoded = (text: string) => Buffer.from(text).toString("base64url");

async function newPair(): Promise<KeyPair> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2_048 });
  return { id: randomUUID(), ...pair };
}

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type CryptoKey,
  customFetch,
  errors,
  type JSONWebKeySet,
  jwksCache,
  type JWKSCacheInput,
  type JWSHeaderParameters,
  jwtVerify,
} from "jose";
import { strictJsonObject } from "@sallyport/core";
import { type GuardedClient, type JsonObject, unanswered, unproven } from "./guarded-client.ts";

interface IdTokenExpectations {
  readonly keys: KeySet;
  readonly clientId: string;
  readonly nonce: string;
  /** The issuer by which an identity is known, if the token comes from one that the provider may name; `null` if not. */
  readonly issuerOf: (claims: JsonObject) => string | null;
}

interface VerifiedIdToken {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: JsonObject;
}

/** Providers sign with these. Neither `none` nor a shared secret proves anything here. */
const algorithms = ["RS256", "ES256"];

const longestToken = 16_384;

/** How far the clocks may be apart, in seconds. */
const clockTolerance = 120;

/** In seconds; the token was made for this log-in. */
const greatestAge = 600;

/** Verifies the signature, issuer, audience, times and nonce of an id token, and returns its subject. 324 if one is wrong. */
export async function verifyIdToken(token: unknown, expected: IdTokenExpectations): Promise<VerifiedIdToken> {
  if (typeof token !== "string" || token.length > longestToken) throw unproven("the provider sent no id token");
  let keyIssuer: string | null = null;
  const options = {
    algorithms,
    audience: expected.clientId,
    clockTolerance,
    maxTokenAge: greatestAge,
    requiredClaims: ["iss", "sub", "aud", "iat", "exp"],
    currentDate: new Date(Date.now()),
  };
  const { payload, protectedHeader } = await jwtVerify(
    token,
    async (header: JWSHeaderParameters) => {
      const found = await expected.keys.find(header);
      keyIssuer = found.issuer;
      return found.key;
    },
    options,
  ).catch((error: unknown) => {
    throw refusalOf(error);
  });

  if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== "JWT")
    throw unproven("the token is no id token");
  if (strictJsonObject(segment(token, 0)) === null || strictJsonObject(segment(token, 1)) === null)
    throw unproven("the id token has a member twice");
  if (payload.nonce !== expected.nonce) throw unproven("the id token belongs to another log-in");
  if (!isParty(payload, expected.clientId)) throw unproven("the id token was made for another application");
  const issuer = expected.issuerOf(payload);
  if (issuer === null || !signsFor(keyIssuer, payload)) throw unproven("the id token has another issuer");
  // Nothing has looked at its type yet, and a pattern takes numbers and lists for texts.
  const { sub: subject } = payload as JsonObject;
  if (typeof subject !== "string" || !/^[\x21-\x7E]{1,255}$/.test(subject)) throw unproven("the id token names nobody");
  return { issuer, subject, claims: payload };
}

const segment = (token: string, index: number) =>
  Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8");

/** A token for several audiences must name the party that asked for it. */
const isParty = ({ aud, azp }: JsonObject, clientId: string) =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId;

const signsFor = (keyIssuer: string | null, { iss, tid }: JsonObject) =>
  keyIssuer === null || keyIssuer.replace("{tenantid}", () => String(tid)) === iss;

function refusalOf(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return unproven("the id token is over");
  if (error instanceof errors.JWTClaimValidationFailed)
    return unproven(
      error.claim === "aud"
        ? "the id token was made for another application"
        : "the id token lacks a claim, or one is wrong",
    );
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return unproven("the id token is not signed as providers sign");
  if (error instanceof errors.JWSSignatureVerificationFailed) return unproven("the signature of the id token is wrong");
  if (error instanceof errors.JOSEError || !(error instanceof Error) || error.name !== "ServiceError")
    return unproven("the id token is malformed");
  return error;
}

interface KeySetOptions {
  readonly client: Pick<GuardedClient, "get">;
  readonly address: string;
  /** Milliseconds that the provider has to answer. */
  readonly timeout: number;
}

interface FoundKey {
  readonly key: CryptoKey;
  /** Whose tokens the key signs, where the provider says it of each key; `{tenantid}` stands in for any tenant. */
  readonly issuer: string | null;
}

/** After this the keys are asked for again. */
const freshFor = 3_600_000;

/** Keys that were fetched longer ago than this are good for nothing, even while the provider gives no newer ones. */
const usableFor = 86_400_000;

/** How long tokens under unknown keys cause no further request. */
const unknownKeyPause = 30_000;

/** How long nothing is asked after a failure. */
const failurePause = 5_000;

/** The public keys of a provider: fetched once for many tokens, again when a token names a key that is not among them. */
export class KeySet {
  private readonly options: KeySetOptions;
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  /** The keys that were fetched last, and when. jose writes it. */
  private readonly fetched: { readonly uat?: number; readonly jwks?: JSONWebKeySet } = {};
  private failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeySetOptions) {
    this.options = options;
    this.remote = createRemoteJWKSet(new URL(options.address), {
      cacheMaxAge: usableFor,
      cooldownDuration: unknownKeyPause,
      timeoutDuration: Math.ceil(options.timeout),
      [customFetch]: (_address, { signal }) => this.fetch(signal),
      [jwksCache]: this.fetched as JWKSCacheInput,
    });
  }

  /** The key that a token's header names. 324 if the provider has no such key, 706 if it does not tell its keys. */
  async find(header: JWSHeaderParameters): Promise<FoundKey> {
    const { kid } = header;
    if (typeof kid !== "string") throw unproven("the id token names no key");
    if (!this.remote.fresh) await this.reload();
    // A provider that is silent is no reason to refuse tokens under the keys from before.
    else if (Date.now() - (this.fetched.uat ?? 0) >= freshFor) await this.reload().catch(() => {});
    if (!this.has(kid) && !this.remote.coolingDown) await this.reload();
    if (!this.has(kid)) throw unproven("the id token is signed by a key that the provider does not have");
    const key = await this.remote(header).catch(() => {
      throw unproven("the key that the id token names is not good for it");
    });
    const issuer = this.keys.find((each) => each["kid"] === kid)?.["issuer"];
    return { key, issuer: typeof issuer === "string" ? issuer : null };
  }

  /** Fetches the keys now. 706 or 324 if the provider does not tell them. */
  reload(): Promise<void> {
    return this.remote.reload();
  }

  private get keys(): readonly JsonObject[] {
    return (this.fetched.jwks?.keys ?? []) as readonly JsonObject[];
  }

  private has(kid: string): boolean {
    return this.keys.some((key) => key["kid"] === kid);
  }

  private async fetch(signal: AbortSignal): Promise<Response> {
    if (Date.now() - this.failedAt < failurePause) throw unanswered("the provider did not tell its keys a moment ago");
    try {
      const { status, json } = await this.options.client.get(this.options.address, signal);
      if (status !== 200) throw unproven("the provider refused to tell its keys");
      // Throws for a malformed set, so that it counts as a failure.
      createLocalJWKSet(json as unknown as JSONWebKeySet);
      return Response.json(json);
    } catch (error) {
      this.failedAt = Date.now();
      throw error instanceof Error && error.name === "ServiceError"
        ? error
        : unproven("the provider's keys are no key set");
    }
  }
}

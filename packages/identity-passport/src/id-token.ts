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
import { strictJsonObject } from "@sallyport/storage";
import { type GuardedClient, type JsonObject, unanswered, logInFailed } from "./guarded-client.ts";

interface IdTokenExpectations {
  readonly keys: KeySet;
  readonly clientId: string;
  readonly nonce: string;
  /** The issuer that identifies the account, `null` if the token's issuer is not acceptable. */
  readonly issuerOf: (claims: JsonObject) => string | null;
}

interface VerifiedIdToken {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: JsonObject;
}

/** Algorithms of the providers. `none` and shared secrets are refused. */
const algorithms = ["RS256", "ES256"];

const maxTokenLength = 16_384;

/** Accepted clock difference in seconds. */
const clockTolerance = 120;

/** Maximum age in seconds. The token was issued for this log-in. */
const greatestAge = 600;

/** Verifies signature, issuer, audience, times and nonce of an id token. Returns its subject; 324 if it is invalid. */
export async function verifyIdToken(token: unknown, expected: IdTokenExpectations): Promise<VerifiedIdToken> {
  if (typeof token !== "string" || token.length > maxTokenLength) throw logInFailed("The provider sent no id token.");
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
      const issuerKey = await expected.keys.find(header);
      keyIssuer = issuerKey.issuer;
      return issuerKey.key;
    },
    options,
  ).catch((error: unknown) => {
    throw refusalOf(error);
  });

  if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== "JWT")
    throw logInFailed("The token is not an id token.");
  if (strictJsonObject(segment(token, 0)) === null || strictJsonObject(segment(token, 1)) === null)
    throw logInFailed("The id token has a duplicate member.");
  if (payload.nonce !== expected.nonce) throw logInFailed("The id token belongs to another log-in.");
  if (!isParty(payload, expected.clientId)) throw logInFailed("The id token was issued for another application.");
  const issuer = expected.issuerOf(payload);
  if (issuer === null || !signsFor(keyIssuer, payload)) throw logInFailed("The id token has another issuer.");
  // The type is unchecked so far, and `test` converts numbers and lists to strings.
  const { sub: subject } = payload as JsonObject;
  if (typeof subject !== "string" || !/^[\x21-\x7E]{1,255}$/.test(subject))
    throw logInFailed("The id token has no subject.");
  return { issuer, subject, claims: payload };
}

const segment = (token: string, index: number) =>
  Buffer.from(token.split(".")[index] ?? "", "base64url").toString("utf8");

/** A token for several audiences must name the authorized party. */
const isParty = ({ aud, azp }: JsonObject, clientId: string) =>
  azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId;

const signsFor = (keyIssuer: string | null, { iss, tid }: JsonObject) =>
  keyIssuer === null || keyIssuer.replace("{tenantid}", () => String(tid)) === iss;

function refusalOf(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return logInFailed("The id token has expired.");
  if (error instanceof errors.JWTClaimValidationFailed)
    return logInFailed(
      error.claim === "aud"
        ? "The id token was issued for another application."
        : "The id token has a missing or invalid claim.",
    );
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return logInFailed("The id token has an unsupported signature algorithm.");
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return logInFailed("The signature of the id token is invalid.");
  if (error instanceof errors.JOSEError || !(error instanceof Error) || error.name !== "ServiceError")
    return logInFailed("The id token is malformed.");
  return error;
}

interface KeySetOptions {
  readonly client: Pick<GuardedClient, "get">;
  readonly address: string;
  /** Milliseconds that the provider has to respond. */
  readonly timeout: number;
  /** Minimum milliseconds between requests caused by unknown keys. */
  readonly unknownKeyPause: number;
}

interface FoundKey {
  readonly key: CryptoKey;
  /** The issuer of the key, if the provider states it per key. `{tenantid}` is a placeholder for any tenant. */
  readonly issuer: string | null;
}

/** Milliseconds until a refresh is tried. */
const freshFor = 3_600_000;

/** Milliseconds until cached keys expire, even if the provider is unavailable. */
const usableFor = 86_400_000;

/** Milliseconds without requests after a failure. */
const failurePause = 5_000;

/** Cached public keys of a provider. An unknown key id in a token causes a refresh. */
export class KeySet {
  private readonly options: KeySetOptions;
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  /** The cached keys and their fetch time. jose writes it. */
  private readonly fetched: { readonly uat?: number; readonly jwks?: JSONWebKeySet } = {};
  private failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeySetOptions) {
    this.options = options;
    this.remote = createRemoteJWKSet(new URL(options.address), {
      cacheMaxAge: usableFor,
      cooldownDuration: options.unknownKeyPause,
      timeoutDuration: Math.ceil(options.timeout),
      [customFetch]: (_address, { signal }) => this.fetch(signal),
      [jwksCache]: this.fetched as JWKSCacheInput,
    });
  }

  /** The key named in a token header. 324 if the provider has no such key, 706 if the keys cannot be fetched. */
  async find(header: JWSHeaderParameters): Promise<FoundKey> {
    const { kid } = header;
    if (typeof kid !== "string") throw logInFailed("The id token does not name its key.");
    if (!this.remote.fresh) await this.reload();
    // An unavailable provider does not invalidate the cached keys.
    else if (Date.now() - (this.fetched.uat ?? 0) >= freshFor) await this.reload().catch(() => {});
    if (!this.has(kid) && !this.remote.coolingDown) await this.reload();
    if (!this.has(kid)) throw logInFailed("The provider does not have the key of the id token.");
    const key = await this.remote(header).catch(() => {
      throw logInFailed("The key of the id token cannot verify its signature.");
    });
    const issuer = this.keys.find((each) => each["kid"] === kid)?.["issuer"];
    return { key, issuer: typeof issuer === "string" ? issuer : null };
  }

  /** Fetches the keys now. Throws 706 or 324 on failure. */
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
    if (Date.now() - this.failedAt < failurePause)
      throw unanswered("The keys of the provider could not be fetched a moment ago.");
    try {
      const { status, json } = await this.options.client.get(this.options.address, signal);
      if (status !== 200) throw logInFailed("The provider refused the request for its keys.");
      // A malformed set throws, so that it counts as a failure.
      createLocalJWKSet(json as unknown as JSONWebKeySet);
      return Response.json(json);
    } catch (error) {
      this.failedAt = Date.now();
      throw error instanceof Error && error.name === "ServiceError"
        ? error
        : logInFailed("The keys of the provider are not a JWK set.");
    }
  }
}

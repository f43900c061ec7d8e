import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type CryptoKey,
  customFetch,
  type JSONWebKeySet,
  jwksCache,
  type JWKSCacheInput,
  type JWSHeaderParameters,
} from "jose";
import type { GuardedClient } from "./http/guarded-client.ts";
import { unanswered, unproven } from "./http/provider-failure.ts";
import type { JsonObject } from "./http/strict-json.ts";

export interface KeySetOptions {
  readonly client: Pick<GuardedClient, "get">;
  readonly address: string;
  /** Milliseconds that the provider has to answer. */
  readonly timeout: number;
}

export interface FoundKey {
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
  /** What was fetched last, and when. jose writes it. */
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
      // Refuses what is no key set, so that it counts as a failure.
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

import { createLocalJWKSet, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters } from "jose";
import { unanswered, unproven } from "./http/provider-failure.ts";
import type { JsonObject } from "./http/strict-json.ts";

export interface KeySetOptions {
  readonly load: () => Promise<JsonObject>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface FoundKey {
  readonly key: CryptoKey;
  /** Whose tokens the key signs, where the provider says it of each key; `{tenantid}` stands in for any tenant. */
  readonly issuer: string | null;
}

interface Loaded {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly keys: readonly JsonObject[];
  readonly at: number;
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
  private loaded: Loaded | null = null;
  private failedAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<Loaded> | null = null;

  constructor(options: KeySetOptions) {
    this.options = options;
  }

  /** The key that a token's header names. 324 if the provider has no such key, 706 if it does not tell its keys. */
  async find(header: JWSHeaderParameters): Promise<FoundKey> {
    const { kid } = header;
    if (typeof kid !== "string") throw unproven("the id token names no key");
    const usable = await this.usable();
    if (has(usable, kid)) return keyIn(usable, header);
    if (this.options.now() - usable.at < unknownKeyPause) throw unknownKey();
    const newer = await this.reloaded();
    if (!has(newer, kid)) throw unknownKey();
    return keyIn(newer, header);
  }

  /** Fetches the keys now. 706 or 324 if the provider does not tell them. */
  async reload(): Promise<void> {
    await this.reloaded();
  }

  private async usable(): Promise<Loaded> {
    const { loaded } = this;
    const age = loaded === null ? Number.POSITIVE_INFINITY : this.options.now() - loaded.at;
    if (loaded === null || age >= usableFor) return this.reloaded();
    if (age < freshFor) return loaded;
    return this.reloaded().catch(() => loaded);
  }

  private reloaded(): Promise<Loaded> {
    if (this.options.now() - this.failedAt < failurePause)
      return Promise.reject(unanswered("the provider did not tell its keys a moment ago"));
    this.loading ??= this.load().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  private async load(): Promise<Loaded> {
    try {
      const set = await this.options.load();
      const find = createLocalJWKSet(set as unknown as JSONWebKeySet);
      this.loaded = { find, keys: set["keys"] as readonly JsonObject[], at: this.options.now() };
      return this.loaded;
    } catch (error) {
      this.failedAt = this.options.now();
      throw error instanceof Error && error.name === "ServiceError"
        ? error
        : unproven("the provider's keys are no key set");
    }
  }
}

const has = ({ keys }: Loaded, kid: string) => keys.some((key) => key["kid"] === kid);

const unknownKey = () => unproven("the id token is signed by a key that the provider does not have");

async function keyIn({ find, keys }: Loaded, header: JWSHeaderParameters): Promise<FoundKey> {
  const issuer = keys.find((key) => key["kid"] === header.kid)?.["issuer"];
  const key = await find(header).catch(() => {
    throw unproven("the key that the id token names is not good for it");
  });
  return { key, issuer: typeof issuer === "string" ? issuer : null };
}

import type { ProviderType } from "@sallyport/core";

/** What an application is known by at an imitation. */
export interface ImitatedClient {
  readonly provider: ProviderType;
  readonly clientId: string;
  /** `null` for Apple, which takes a token under `key` in its place. */
  readonly clientSecret: string | null;
  readonly key?: {
    readonly teamId: string;
    readonly keyIdentifier: string;
    /** SPKI in PEM. */
    readonly publicKey: string;
  };
  /** Exact callback addresses; those on a loopback address are taken without being named. */
  readonly callbacks?: readonly string[];
}

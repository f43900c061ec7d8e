import type { PublicJwk } from "@sallyport/core";

/** The keys that the tokens of this server can be checked with, whatever database they are for. */
export interface KeySet {
  readonly keys: readonly PublicJwk[];
  /** Whether every database has said what its keys are. */
  readonly complete: boolean;
}

/** Port: where the set of keys comes from. Never fails, and is asked as often as strangers like. */
export interface PublishedKeys {
  read(): Promise<KeySet>;
}

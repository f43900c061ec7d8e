import type { ProviderType } from "@sallyport/core";
import type { GuardedClient } from "./http/guarded-client.ts";

/** What all providers of a server share. */
export interface ProviderSurroundings {
  readonly client: GuardedClient;
  /** Milliseconds that a provider has for all answers to one callback. */
  readonly timeout: number;
  /** The base address of an imitation that stands in for all providers, without a slash at its end. */
  readonly imitation: string | null;
}

/**
 * What an imitation signs as, wherever it listens: links to its accounts outlive it, and are good for nothing at the provider itself. Nobody
 * can have a name that ends in `.invalid`.
 */
export const imitatedIssuer = (type: ProviderType): string => `https://${type}.imitation.invalid`;

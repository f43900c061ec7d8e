import type { CallbackParameters, IdentityProvider } from "@sallyport/core";
import type { ProviderFault, ProviderProof } from "./provider-fault.ts";

/** A provider with the fake provider behind it. Its checks run sequentially. */
export interface ProviderUnderTest {
  /** The name in reports. */
  readonly name: string;
  readonly proof: ProviderProof;
  /** Whether the provider uses PKCE (S256). */
  readonly hasPkce: boolean;

  /** Creates a provider without caches. `timeout` limits a whole callback, in milliseconds. */
  create(options: { readonly timeout: number }): IdentityProvider;

  /** Provider data with the client registration at the fake provider. */
  readonly data: Readonly<Record<string, string>>;

  /** The secret values of `data`. */
  readonly secrets: readonly string[];

  /** Two user accounts at the fake provider. */
  readonly users: readonly [string, string];

  /** Opens an authorization URL as a browser and signs in, or cancels if `null`. Returns the callback parameters. */
  signIn(address: string, user: string | null): Promise<CallbackParameters>;

  /** Activates a fault of the fake provider; `null`: none. All its error responses contain `words`. */
  injectFault(fault: ProviderFault | null): Promise<void> | void;

  /** A text in all error responses of the fake provider. No error may reveal it. */
  readonly words: string;
}

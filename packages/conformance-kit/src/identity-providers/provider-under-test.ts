import type { CallbackParameters, IdentityProvider } from "@sallyport/core";
import type { ProviderFault, ProviderProof } from "./provider-fault.ts";

/** A provider and the imitation that it asks. The checks run one after the other. */
export interface ProviderUnderTest {
  /** For the report. */
  readonly name: string;
  readonly proof: ProviderProof;
  /** Whether it sends a challenge and a verifier (S256). */
  readonly hasPkce: boolean;

  /** One that remembers nothing of others, as after a start, and gives the imitation so many milliseconds for all answers to a callback. */
  create(options: { readonly timeout: number }): IdentityProvider;

  /** Additional data by which the imitation knows the client. */
  readonly data: Readonly<Record<string, string>>;

  /** Those of the values above that are secrets. */
  readonly secrets: readonly string[];

  /** Two people who have accounts there. */
  readonly users: readonly [string, string];

  /** Goes to an address that a log-in begins at as a browser does, logs in (`null`: cancels), and tells what the callback would bring. */
  signIn(address: string, person: string | null): Promise<CallbackParameters>;

  /** Does this wrong from now on; `null`: nothing. Whatever it says in refusals contains `words`. */
  misbehave(fault: ProviderFault | null): Promise<void> | void;

  /** Words that are in the refusals of the imitation, and may be in no error. */
  readonly words: string;
}

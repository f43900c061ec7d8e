import type { ProviderProof } from "./provider-fault.ts";
import type { ProviderSubject } from "./provider-subject.ts";

/** One executable clause of the identity provider contract. */
export interface ProviderCheck {
  /** Unique among the provider checks. */
  readonly name: string;
  /** The feature that the check requires; `null`: none. */
  readonly needs: ProviderProof | "pkce" | null;
  readonly run: (subject: ProviderSubject) => Promise<void>;
}

type Run = ProviderCheck["run"];

/** Builds checks from a table of names and functions. `needs` defaults to `null`. */
export function providerChecksOf(table: {
  readonly [name: string]: Run | Pick<ProviderCheck, "needs" | "run">;
}): ProviderCheck[] {
  return Object.entries(table).map(([name, check]) =>
    typeof check === "function" ? { name, needs: null, run: check } : { name, ...check },
  );
}

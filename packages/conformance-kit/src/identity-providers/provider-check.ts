import type { ProviderProof } from "./provider-fault.ts";
import type { ProviderSubject } from "./provider-subject.ts";

/** One clause of what is asked of an identity provider, executable. */
export interface ProviderCheck {
  /** Unique among them. */
  readonly name: string;
  /** What it takes for the check to have a meaning; `null`: nothing. */
  readonly needs: ProviderProof | "pkce" | null;
  readonly run: (subject: ProviderSubject) => Promise<void>;
}

type Run = ProviderCheck["run"];

/** Checks, written as a table from names to what they do; `needs` is `null` unless it stands beside. */
export function providerChecksOf(table: {
  readonly [name: string]: Run | Pick<ProviderCheck, "needs" | "run">;
}): ProviderCheck[] {
  return Object.entries(table).map(([name, check]) =>
    typeof check === "function" ? { name, needs: null, run: check } : { name, ...check },
  );
}

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

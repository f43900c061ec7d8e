import { createHash, randomBytes } from "node:crypto";
import type { ImitatedAccount } from "./imitated-account.ts";

/** What somebody allowed at the log-in page, until a client trades the code for it. */
export interface Grant {
  readonly account: ImitatedAccount;
  readonly clientId: string;
  readonly callback: string;
  readonly nonce: string | null;
  /** The S256 challenge of PKCE. */
  readonly challenge: string | null;
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
}

const lifetime = 60_000;

/** Codes that are good once and for a minute. */
export class GrantedCodes {
  private readonly grants = new Map<string, Grant>();

  issue(grant: Grant): string {
    const code = randomBytes(32).toString("base64url");
    this.grants.set(code, grant);
    return code;
  }

  /** The grant, if the code is good for this client and callback, and the verifier for its challenge. The code is spent in any case. */
  redeem(
    code: string,
    {
      clientId,
      callback,
      verifier,
      now,
    }: { readonly clientId: string; readonly callback: string; readonly verifier: string; readonly now: number },
  ): Grant | null {
    const grant = this.grants.get(code);
    this.grants.delete(code);
    if (
      grant === undefined ||
      grant.clientId !== clientId ||
      grant.callback !== callback ||
      now - grant.grantedAt > lifetime
    )
      return null;
    if (grant.challenge !== null && grant.challenge !== createHash("sha256").update(verifier).digest("base64url"))
      return null;
    return grant;
  }
}

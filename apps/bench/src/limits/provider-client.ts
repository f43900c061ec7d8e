import { createHash } from "node:crypto";

/** As whom the product is known at the imitation of Google. */
export const fakeClient = { provider: "google", clientId: "bench.apps", clientSecret: "bench-secret" } as const;

/** How many accounts there are at the imitation; each is bound to a user of its own. */
export const fakeAccountCount = 100;

export const form = { "content-type": "application/x-www-form-urlencoded" };

interface LogIn {
  readonly redirectUri: string;
  readonly verifier: string;
}

/** The query with which a client sends a user to the provider. */
export function codeRequest(given: LogIn & { readonly state: string; readonly nonce: string }): URLSearchParams {
  return new URLSearchParams({
    response_type: "code",
    client_id: fakeClient.clientId,
    redirect_uri: given.redirectUri,
    scope: "openid profile email",
    state: given.state,
    nonce: given.nonce,
    code_challenge: createHash("sha256").update(given.verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
}

/** The form with which a client trades a code for an id token. */
export function tokenRequest({ redirectUri, verifier, code }: LogIn & { readonly code: string }): string {
  const { clientId, clientSecret } = fakeClient;
  return `${new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
    code_verifier: verifier,
  })}`;
}

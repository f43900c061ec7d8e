import { createHash } from "node:crypto";

/** The product's client registration at the fake Google provider. */
export const fakeClient = { provider: "google", clientId: "bench.apps", clientSecret: "bench-secret" } as const;

/** Number of accounts at the fake provider. Each is linked to its own user. */
export const fakeAccountCount = 100;

export const form = { "content-type": "application/x-www-form-urlencoded" };

interface LogIn {
  readonly redirectUri: string;
  readonly verifier: string;
}

/** The query of an authorization request. */
export function codeRequest(logIn: LogIn & { readonly state: string; readonly nonce: string }): URLSearchParams {
  return new URLSearchParams({
    response_type: "code",
    client_id: fakeClient.clientId,
    redirect_uri: logIn.redirectUri,
    scope: "openid profile email",
    state: logIn.state,
    nonce: logIn.nonce,
    code_challenge: createHash("sha256").update(logIn.verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
}

/** The form of a token request with an authorization code. */
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

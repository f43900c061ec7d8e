import type { SallyportClient } from "../client.ts";
import type { ClientOptions } from "../client-options.ts";
import { webCrypto } from "../crypto/web-crypto.ts";
import { SallyportError } from "../errors/sallyport-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import type { CallOptions } from "../requests/call-options.ts";
import { answerOf, providerAddress, type ProviderAnswer, type ProviderLogInFields } from "./provider-log-in.ts";

export interface CodeLogInFields extends Omit<ProviderLogInFields, "challenge"> {
  /** Where the browser comes back with a code: an address that the app key lists (`app-key create --return-to`). */
  readonly returnTo: string;
}

export interface StartedCodeLogIn {
  /** Where to send the browser. */
  readonly url: string;
  /** Keep it where only this app finds it, such as `sessionStorage`: the code is worth nothing without it. */
  readonly verifier: string;
}

/** Begins a log-in with `google`, `facebook`, `microsoft` or `apple` that comes back to an address of the app. Needs WebCrypto. */
export async function startCodeLogIn(
  place: Pick<ClientOptions, "baseUrl" | "alias" | "appKey">,
  provider: string,
  fields: CodeLogInFields,
): Promise<StartedCodeLogIn> {
  const crypto = webCrypto();
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const challenge = base64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
  );
  return { url: providerAddress(place, provider, { ...fields, challenge }), verifier };
}

/**
 * The code in the address that the browser came back to. A log-in that failed is thrown as a `SallyportError` with the code of the failure, and
 * an address that is none of a log-in as a `TransportError`. Take the code out of the address bar afterwards (`history.replaceState`).
 */
export function returnedCode(address: string): string {
  const parameters = new URL(address).searchParams;
  const [error, code] = [parameters.get("error"), parameters.get("code")];
  if (error !== null && /^\d{1,6}$/.test(error))
    throw new SallyportError({ code: Number(error), message: "The log-in with the provider failed", httpStatus: 302 });
  if (error !== null || code === null || code === "") throw new TransportError("foreign-answer", { httpStatus: 302 });
  return code;
}

export interface CodeTrade {
  /** Of `returnedCode`; good once, for 60 seconds. */
  readonly code: string;
  /** Of `startCodeLogIn`. */
  readonly verifier: string;
  /** The token of the second factor. After 340, 341 or 342 the same code can be shown again with one. */
  readonly twoFactorToken?: string | undefined;
  /** Asks for a session that is good for setting up a second factor alone, where one is demanded that is not there (340). */
  readonly enrolling?: boolean | undefined;
}

/**
 * Trades the code (`POST /v1/auth/code`): for a session, which the client then has, or for the `dfUuid` of an account that is bound to no
 * database user yet. 324 for a code or a verifier that is not good. It is not repeated when the session is over: log in with the provider then.
 */
export async function logInWithCode(
  client: SallyportClient,
  trade: CodeTrade,
  options: CallOptions = {},
): Promise<ProviderAnswer> {
  const { code, verifier, twoFactorToken, enrolling } = trade;
  const body = { code, verifier, "2faToken": twoFactorToken, "2faEnrol": enrolling };
  const { data } = await client.request({ ...options, method: "POST", path: "/v1/auth/code", body, anonymous: true });
  const answer = answerOf(data, 200);
  if (answer.assigned) await client.logIn(answer.logIn);
  return answer;
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

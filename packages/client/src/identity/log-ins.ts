import type { SallyportClient } from "../client.ts";
import type { ClientOptions, LogInFields, PlainLogInOptions } from "../options.ts";
import { webCrypto } from "../crypto/web-crypto.ts";
import { SallyportError, TransportError } from "../errors.ts";
import type { CallOptions } from "../requests.ts";
import { successOf } from "../transport/envelope.ts";
import { ServiceAddress } from "../transport/service-address.ts";
import type { IncomingMessage } from "../transport/transport.ts";

/** Options for `client.logIn` that log in a custom user (`POST /v1/auth/df`). */
export function customLogIn(fields: LogInFields): PlainLogInOptions {
  return { ...fields, mode: "session", endpoint: { path: "/v1/auth/df" } };
}

export interface ProviderLogInFields {
  /** Default: the app names registered with the provider. */
  readonly appNames?: readonly string[] | undefined;
  /** The server limits sessions per user and device. Beyond the limit, the least recently renewed one ends. */
  readonly deviceId?: string | undefined;
  /** One-time token of the second factor. It is part of the URL. */
  readonly twoFactorToken?: string | undefined;
  /** Requests a session only for second factor enrolment, if a required factor is missing. */
  readonly enrolling?: boolean | undefined;
  /** URL that receives the browser with a code. Needs a `challenge`; `startCodeLogIn` creates one. */
  readonly returnTo?: string | undefined;
  /** Base64url of the SHA-256 of the code verifier. */
  readonly challenge?: string | undefined;
}

/**
 * The URL that starts a browser log-in with `google`, `facebook`, `microsoft` or `apple`. The log-in ends at the
 * server; pass the content of that page to `providerAnswer`.
 */
export function providerAddress(
  place: Pick<ClientOptions, "baseUrl" | "alias" | "appKey">,
  provider: string,
  fields: ProviderLogInFields = {},
): string {
  const { baseUrl, alias = "", appKey } = place;
  const { appNames, deviceId, twoFactorToken, enrolling, returnTo, challenge } = fields;
  const query = {
    appkey: appKey,
    appNames: appNames?.join(","),
    deviceId,
    "2faToken": twoFactorToken,
    "2faEnrol": enrolling,
    returnTo,
    challenge,
  };
  return new ServiceAddress(baseUrl, alias).of(`/v1/auth/${encodeURIComponent(provider)}`, query);
}

/** Result of a provider log-in: options for `client.logIn`, or an account that is not linked to a database user. */
export type ProviderAnswer =
  | { readonly assigned: true; readonly logIn: PlainLogInOptions }
  | { readonly assigned: false; readonly dfUuid: string };

/** Parses the last page of a provider log-in. Throws a `SallyportError` or a `TransportError`. */
export function providerAnswer(text: string, status = 200): ProviderAnswer {
  const answer: IncomingMessage = { status, headers: new Headers(), body: new TextEncoder().encode(text) };
  return answerOf(successOf(answer).data, status);
}

function answerOf(answered: unknown, status: number): ProviderAnswer {
  const data = answered as { readonly dfUuid?: unknown; readonly sessionId?: unknown } | null;
  if (typeof data?.dfUuid === "string") return { assigned: false, dfUuid: data.dfUuid };
  if (typeof data?.sessionId !== "string") throw new TransportError("foreign-answer", { httpStatus: status });
  const endpoint = { path: "", answered: data, once: true };
  return { assigned: true, logIn: { mode: "session", user: "", password: "", appNames: [], endpoint } };
}

export interface CodeLogInFields extends Omit<ProviderLogInFields, "challenge"> {
  /** URL that receives the browser with a code. The app key must list it (`app-key create --return-to`). */
  readonly returnTo: string;
}

export interface StartedCodeLogIn {
  /** URL to open in the browser. */
  readonly url: string;
  /** Store it in the app only, for example in `sessionStorage`. The code is useless without it. */
  readonly verifier: string;
}

/** Starts a provider log-in (as in `providerAddress`) that returns to the app. Needs WebCrypto. */
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
 * Extracts the code from the URL of the returning browser. Throws a `SallyportError` if the log-in failed, a
 * `TransportError` for any other URL. Remove the code from the address bar afterwards (`history.replaceState`).
 */
export function returnedCode(address: string): string {
  const parameters = new URL(address).searchParams;
  const [error, code] = [parameters.get("error"), parameters.get("code")];
  if (error !== null && /^\d{1,6}$/.test(error))
    throw new SallyportError({ code: Number(error), message: "The log-in with the provider failed", httpStatus: 302 });
  if (error !== null || code === null || code === "") throw new TransportError("foreign-answer", { httpStatus: 302 });
  return code;
}

export interface CodeExchange {
  /** From `returnedCode`. One-time, valid for 60 seconds. */
  readonly code: string;
  /** From `startCodeLogIn`. */
  readonly verifier: string;
  /** Second factor token. After 340, 341 or 342, repeat the call with the same code and a token. */
  readonly twoFactorToken?: string | undefined;
  /** Requests a session only for second factor enrolment, if a required factor is missing (340). */
  readonly enrolling?: boolean | undefined;
}

/**
 * Exchanges the code (`POST /v1/auth/code`). The client gets the session, or the result has the `dfUuid` of an unlinked
 * account. 324 for an invalid code or verifier. The log-in is not repeated when the session ends.
 */
export async function logInWithCode(
  client: SallyportClient,
  exchange: CodeExchange,
  options: CallOptions = {},
): Promise<ProviderAnswer> {
  const { code, verifier, twoFactorToken, enrolling } = exchange;
  const body = { code, verifier, "2faToken": twoFactorToken, "2faEnrol": enrolling };
  const data = await client.call("POST /v1/auth/code", { ...options, body, anonymous: true });
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

/** Fields of a log-in that links a provider account. */
export interface LinkingFields extends LogInFields {
  /** From the provider log-in. Only a successful log-in uses it up. */
  readonly dfUuid: string;
}

/**
 * Options for `client.logIn` that link a provider account to a database user (`POST /v1/extLogin`). 324 for an expired
 * `dfUuid`. The log-in is not repeated when the session ends.
 */
export function linkingLogIn({ dfUuid, ...fields }: LinkingFields): PlainLogInOptions {
  return { ...fields, mode: "session", endpoint: { path: "/v1/extLogin", fields: { dfUuid }, once: true } };
}

/** A provider account that is linked to the user. */
export interface Link {
  readonly provider: string;
  /** As the provider stated at the time of linking. */
  readonly displayName: string | null;
  readonly email: string | null;
  /** Whether it was linked without the user's own credentials. */
  readonly shared: boolean;
  /** ISO 8601, UTC. */
  readonly linkedAt: string;
}

/** The provider accounts that are linked to the user. */
export async function listLinks(client: SallyportClient, options: CallOptions = {}): Promise<readonly Link[]> {
  return (await client.call("GET /v1/auth/links", options)).links;
}

/** Removes the user's links to a provider and ends their sessions. 304 if there are none. */
export async function removeLinks(client: SallyportClient, provider: string, options: CallOptions = {}): Promise<void> {
  await client.call("DELETE /v1/auth/links/{providerName}", { ...options, path: { providerName: provider } });
}

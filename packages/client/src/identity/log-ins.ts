import type { SallyportClient } from "../client.ts";
import type { ClientOptions, LogInFields, PlainLogInOptions } from "../options.ts";
import { webCrypto } from "../crypto/web-crypto.ts";
import { SallyportError, TransportError } from "../errors.ts";
import type { CallOptions } from "../requests.ts";
import { successOf } from "../transport/envelope.ts";
import { ServiceAddress } from "../transport/service-address.ts";
import type { IncomingMessage } from "../transport/transport.ts";

/** The log-in of somebody who is no database user (`POST /v1/auth/df`), for `client.logIn`. */
export function customLogIn(fields: LogInFields): PlainLogInOptions {
  return { ...fields, mode: "session", endpoint: { path: "/v1/auth/df" } };
}

export interface ProviderLogInFields {
  /** Those that are registered with the provider unless given. */
  readonly appNames?: readonly string[] | undefined;
  /** The server limits how many sessions the user has on the device: beyond that a log-in ends the least recently renewed one. */
  readonly deviceId?: string | undefined;
  /** The token of the second factor. It stands in the address, and is good once. */
  readonly twoFactorToken?: string | undefined;
  /** Asks for a session that is good for setting up a second factor alone, where one is demanded that is not there. */
  readonly enrolling?: boolean | undefined;
  /** Where the browser comes back with a code, instead of to an answer of the server; needs a `challenge`. `startCodeLogIn` makes one. */
  readonly returnTo?: string | undefined;
  /** The SHA-256, as base64url, of the verifier that the code is traded with. */
  readonly challenge?: string | undefined;
}

/**
 * Where to send a browser, or a web view, for a log-in with `google`, `facebook`, `microsoft` or `apple`. It comes back to the server, whose page then is
 * what `providerAnswer` reads.
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

/** What a log-in with a provider has come to: a session for `client.logIn`, or an account that is bound to no database user yet. */
export type ProviderAnswer =
  | { readonly assigned: true; readonly logIn: PlainLogInOptions }
  | { readonly assigned: false; readonly dfUuid: string };

/** Reads the last page of a log-in with a provider. Throws a `SallyportError` for a refusal, a `TransportError` for what is no answer of the service. */
export function providerAnswer(text: string, status = 200): ProviderAnswer {
  const answer: IncomingMessage = { status, headers: new Headers(), body: new TextEncoder().encode(text) };
  return answerOf(successOf(answer).data, status);
}

/** What the data of an answer say. */
function answerOf(answered: unknown, status: number): ProviderAnswer {
  const data = answered as { readonly dfUuid?: unknown; readonly sessionId?: unknown } | null;
  if (typeof data?.dfUuid === "string") return { assigned: false, dfUuid: data.dfUuid };
  if (typeof data?.sessionId !== "string") throw new TransportError("foreign-answer", { httpStatus: status });
  const endpoint = { path: "", answered: data, once: true };
  return { assigned: true, logIn: { mode: "session", user: "", password: "", appNames: [], endpoint } };
}

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

/** What a log-in takes that binds an account of a provider. */
export interface LinkingFields extends LogInFields {
  /** What the log-in with the provider has answered. Only success spends it. */
  readonly dfUuid: string;
}

/**
 * The log-in of a database user that binds an account of a provider to him (`POST /v1/extLogin`), for `client.logIn`. 324 when the `dfUuid` is not
 * good any more. It is not repeated when the session is over: log in with the provider then.
 */
export function linkingLogIn({ dfUuid, ...fields }: LinkingFields): PlainLogInOptions {
  return { ...fields, mode: "session", endpoint: { path: "/v1/extLogin", fields: { dfUuid }, once: true } };
}

/** An account of a provider that is bound to the user. */
export interface Link {
  readonly provider: string;
  /** As the provider said it when the account was bound. */
  readonly displayName: string | null;
  readonly email: string | null;
  /** Whether it was bound without the user's own credentials. */
  readonly shared: boolean;
  /** ISO 8601, in UTC. */
  readonly linkedAt: string;
}

/** The accounts of providers that are bound to the user. */
export async function listLinks(client: SallyportClient, options: CallOptions = {}): Promise<readonly Link[]> {
  const { data } = await client.request<{ readonly links: readonly Link[] }>({ ...options, path: "/v1/auth/links" });
  return data.links;
}

/** Takes the user's links to a provider away; the sessions that they opened end. 304 when there are none. */
export async function removeLinks(client: SallyportClient, provider: string, options: CallOptions = {}): Promise<void> {
  await client.request({ ...options, method: "DELETE", path: `/v1/auth/links/${encodeURIComponent(provider)}` });
}

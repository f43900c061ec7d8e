import type { ClientOptions } from "../client-options.ts";
import { TransportError } from "../errors/transport-error.ts";
import type { PlainLogInOptions } from "../logins/log-in-options.ts";
import { successOf } from "../transport/envelope.ts";
import type { IncomingMessage } from "../transport/message.ts";
import { ServiceAddress } from "../transport/service-address.ts";

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
export function answerOf(answered: unknown, status: number): ProviderAnswer {
  const data = answered as { readonly dfUuid?: unknown; readonly sessionId?: unknown } | null;
  if (typeof data?.dfUuid === "string") return { assigned: false, dfUuid: data.dfUuid };
  if (typeof data?.sessionId !== "string") throw new TransportError("foreign-answer", { httpStatus: status });
  const door = { path: "", answered: data, once: true };
  return { assigned: true, logIn: { mode: "session", user: "", password: "", appNames: [], door } };
}

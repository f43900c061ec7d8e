import { createHash, randomBytes } from "node:crypto";
import { type Callback, callbackRequest, cookieOf, signIn } from "@sallyport/fake-identity-providers";
import request from "supertest";
import { type Answer, call } from "../client.ts";
import { appKey, type Subject } from "../subject.ts";

/** The start of a log-in. */
export interface StartOptions {
  /** With a leading slash; default: empty. */
  readonly alias?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A log-in whose user is on the provider's page. */
export interface StartedLogIn {
  readonly location: string;
  /** The browser's cookies, as it sends them. */
  readonly cookie: string;
}

/** Begins a log-in like a browser, with the app key in the query. */
export function begin(
  { url }: Subject,
  provider: string,
  { alias = "", query = {}, headers = {} }: StartOptions = {},
): Promise<Answer> {
  const parameters = new URLSearchParams({ appkey: appKey, ...query });
  return sent(request(url).get(`${alias}/v1/auth/${provider}?${parameters}`).redirects(0).set(headers));
}

/** The same for a successful start. */
export async function startLogIn(
  subject: Subject,
  provider: string,
  options: StartOptions = {},
): Promise<StartedLogIn> {
  const { status, headers } = await begin(subject, provider, options);
  if (status !== 302) throw new Error(`The log-in did not begin: ${status}`);
  const [setCookie] = headers["set-cookie"] as unknown as string[];
  return { location: headers["location"] ?? "", cookie: cookieOf(setCookie) };
}

/** Returns from a provider to the server under test, for any public address. */
export function finishLogIn({ url }: Subject, callback: Callback, cookie: string | null): Promise<Answer> {
  const { method, url: address, headers, body } = callbackRequest(callback, cookie, new URL(url).origin);
  const asked =
    method === "GET"
      ? request(address).get("")
      : request(address)
          .post("")
          .send(body ?? "");
  return sent(asked.set(headers));
}

/** A whole log-in with an account at the fake provider. `null`: the user cancels. */
export async function logInAt(
  subject: Subject,
  provider: string,
  account: string | null,
  options: StartOptions = {},
): Promise<Answer> {
  const { location, cookie } = await startLogIn(subject, provider, options);
  return finishLogIn(subject, await signIn(location, account), cookie);
}

/** A return address of the demo's app key. */
export const returnAddress = "http://127.0.0.1:51234/callback";

/** A verifier and its challenge, as made by an app. */
export function pkcePair(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** A log-in that has returned to the app. */
export interface Returned {
  readonly answer: Answer;
  /** Empty after a failure. */
  readonly code: string;
  readonly verifier: string;
}

/** The same with a return address. */
export async function returnFrom(
  subject: Subject,
  provider: string,
  account: string | null,
  { query = {}, ...options }: StartOptions = {},
): Promise<Returned> {
  const { verifier, challenge } = pkcePair();
  const answer = await logInAt(subject, provider, account, {
    ...options,
    query: { returnTo: returnAddress, challenge, ...query },
  });
  return { answer, code: new URL(answer.headers["location"] ?? "none:").searchParams.get("code") ?? "", verifier };
}

/** Exchanges a code for the answer of the callback. */
export function exchangeCode(
  subject: Subject,
  { code, verifier }: Pick<Returned, "code" | "verifier">,
  more: object = {},
  { alias = "", headers = {} }: StartOptions = {},
): Promise<Answer> {
  return call(subject, `${alias}/v1/auth/code`, { method: "POST", headers, body: { code, verifier, ...more } });
}

export function link(
  subject: Subject,
  dfUuid: unknown,
  change: Readonly<Record<string, unknown>> = {},
  alias = "",
): Promise<Answer> {
  return call(subject, `${alias}/v1/extLogin`, {
    method: "POST",
    body: { user: "demo", pass: "demo", appNames: ["demo-app"], dfUuid, ...change },
  });
}

async function sent(requestOptions: request.Test): Promise<Answer> {
  const { status, body, headers } = await requestOptions.ok(() => true);
  return { status, code: body.status?.internalStatus, body, headers };
}

import { type Callback, signIn } from "@sallyport/provider-imitation";
import request from "supertest";
import { type Answer, call } from "../client.ts";
import { appKey, type Subject } from "../subject.ts";

/** How a log-in is begun. */
export interface Beginning {
  /** With a slash before it; empty unless given. */
  readonly alias?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A log-in whose user is on the provider's page. */
export interface Away {
  readonly location: string;
  /** What the browser keeps, as it sends it. */
  readonly cookie: string;
}

/** Begins a log-in as a browser does, with the app key in the query. */
export function begin({ url }: Subject, provider: string, { alias = "", query = {}, headers = {} }: Beginning = {}): Promise<Answer> {
  const parameters = new URLSearchParams({ appkey: appKey, ...query });
  return sent(request(url).get(`${alias}/v1/auth/${provider}?${parameters}`).redirects(0).set(headers));
}

/** The same, when it succeeds. */
export async function away(subject: Subject, provider: string, beginning: Beginning = {}): Promise<Away> {
  const { status, headers } = await begin(subject, provider, beginning);
  if (status !== 302) throw new Error(`The log-in did not begin: ${status}`);
  const [cookie = ""] = (headers["set-cookie"] as unknown as string[])[0]?.split(";") ?? [];
  return { location: headers["location"] ?? "", cookie };
}

/** Comes back from a provider: to the server under test, whatever its public address is. */
export function comeBack({ url }: Subject, { address, method, parameters }: Callback, cookie: string | null): Promise<Answer> {
  const [{ origin }, { pathname }] = [new URL(url), new URL(address)];
  const given = new URLSearchParams([...parameters]).toString();
  const asked = method === "GET" ? request(origin).get(`${pathname}?${given}`) : request(origin).post(pathname).type("form").send(given);
  return sent(cookie === null ? asked : asked.set("Cookie", cookie));
}

/** A whole log-in of somebody with an account at the imitation. `null`: he cancels. */
export async function logInAt(subject: Subject, provider: string, account: string | null, beginning: Beginning = {}): Promise<Answer> {
  const { location, cookie } = await away(subject, provider, beginning);
  return comeBack(subject, await signIn(location, account), cookie);
}

export function link(subject: Subject, dfUuid: unknown, change: Readonly<Record<string, unknown>> = {}, alias = ""): Promise<Answer> {
  return call(subject, `${alias}/v1/extLogin`, { method: "POST", body: { user: "demo", pass: "demo", appNames: ["demo-app"], dfUuid, ...change } });
}

async function sent(asked: request.Test): Promise<Answer> {
  const { status, body, headers } = await asked.ok(() => true);
  return { status, code: body.status?.internalStatus, body, headers };
}

import { callbackRequest, cookieOf, signInAtFake } from "@sallyport/server/testing";
import type { ReceivedResponse } from "../matchers/received-response.ts";

/** The response at the end of a browser log-in. */
export interface BrowserResponse extends ReceivedResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; `undefined` for a page or a redirect. */
  readonly body: ReturnType<typeof JSON.parse>;
  /** Where the response redirects to; `null` without a redirect. */
  readonly location: string | null;
}

/** The actions of a person at the provider. */
export interface Visit {
  /** `null` cancels. */
  readonly accountId: string | null;
  /** Replaces the state of the callback. */
  readonly state?: string;
}

/** Opens the address of a log-in, chooses an account at the provider and returns to the service, as a browser does. */
export async function browse(address: string, { accountId, state }: Visit): Promise<BrowserResponse> {
  const started = await send({ method: "GET", url: address });
  const { location } = started;
  if (location === null) return started;
  const callback = await signInAtFake(location, accountId);
  const changed = state === undefined ? {} : { state };
  const parameters = new Map([...callback.parameters, ...Object.entries(changed)]);
  const cookie = cookieOf(started.headers["set-cookie"]);
  const { method, url, headers, body } = callbackRequest({ ...callback, parameters }, cookie);
  return send({ method, url, header: headers, ...(body === null ? {} : { _data: body }) });
}

/** A request with the names of Supertest, so that matchers can show it. */
interface BrowserRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly _data?: string;
}

async function send(request: BrowserRequest): Promise<BrowserResponse> {
  const { method, url, header = {}, _data: body = null } = request;
  const response = await fetch(url, { method, headers: header, body, redirect: "manual" });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: isJson ? JSON.parse(text) : undefined,
    location: response.headers.get("location"),
    request,
  };
}

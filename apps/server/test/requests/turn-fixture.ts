import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { fileURLToPath } from "node:url";
import { tryLogIn } from "../client.ts";
import { withoutLockout } from "../engines.ts";
import type { HeavyRequest } from "./heavy-requests.ts";
import { appKey, type Subject } from "../subject.ts";
import { tuned } from "../test-environment.ts";

/** Settings of the server: the macros of the demo, and time for as many of them. */
export const turnEnvironment: Readonly<Record<string, string>> = {
  ...withoutLockout,
  MACROS_DIR: fileURLToPath(new URL("../../macros/demo", import.meta.url)),
  MACROS_WATCH: "false",
  MACRO_TIMEOUT: "30s",
  ...tuned({ macros: { queue: { timeout: 30_000 } } }),
};

/** A list without a count. */
export const smallList: HeavyRequest = { method: "GET", path: "/v1/objects/User?perPage=1000" };

export const logIn = async (subject: Subject, user: string): Promise<string> =>
  (await tryLogIn(subject, user)).body.data.sessionId;

/** Sends a request on a connection of its own. */
export function send({ url }: Subject, { method, path, body }: HeavyRequest, sessionId?: string): ClientRequest {
  const headers = {
    appkey: appKey,
    "content-type": "application/json",
    ...(sessionId === undefined ? {} : { sessionid: sessionId }),
  };
  const sent = request(url + path, { method, headers, agent: false }).on("error", () => {});
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return sent;
}

/** The status of a whole answer. */
export async function statusOf(sent: ClientRequest): Promise<number> {
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  await once(answer.resume(), "end");
  return answer.statusCode ?? 0;
}

/** The number of requests in progress. */
export async function inFlight({ url }: Subject): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^sallyport_requests_in_flight (\d+)$/m.exec(text)?.[1]);
}

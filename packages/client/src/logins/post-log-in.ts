import { successOf } from "../transport/envelope.ts";
import type { IncomingMessage } from "../transport/message.ts";
import type { Transport } from "../transport/transport.ts";

const headers = { "content-type": "application/json" };

/** Sends a log-in and gives the answer as it came. */
export function postLogIn(
  transport: Transport,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return transport.send({ method: "POST", path }, { headers, body }, signal);
}

/** Sends a log-in whose answer comes in clear text. */
export async function postPlainLogIn<Data>(
  transport: Transport,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<Data> {
  return successOf<Data>(await postLogIn(transport, path, body, signal)).data;
}

import { formatEncryptedHeader, successMessage, successStatus } from "@sallyport/contract";
import { cookieHeader } from "../credentials/cookies.ts";
import type { Exchange } from "../pipeline/exchange.ts";
import type { Success } from "../routes/route.ts";
import { writeAnswer } from "./answer.ts";
import { JsonText } from "./json-text.ts";

const plainStatus = JSON.stringify({ internalStatus: successStatus, statusMessage: successMessage });

/** The envelope of a success as text. */
export function successText({ data, message }: Success): string {
  const status =
    message === undefined ? plainStatus : JSON.stringify({ internalStatus: successStatus, statusMessage: message });
  return `{"status":${status},"data":${data instanceof JsonText ? data.text : JSON.stringify(data)}}`;
}

/** Writes the success of a use case. */
export async function writeSuccess(exchange: Exchange, success: Success): Promise<void> {
  const { version, location, cookie, seal } = success;
  if (version !== undefined) exchange.answerHeaders["ETag"] = `"${version}"`;
  if (cookie !== undefined) exchange.answerHeaders["Set-Cookie"] = cookieHeader(cookie);
  if (location !== undefined) exchange.answerHeaders["Location"] = location;
  const envelope = successText(success);
  if (seal === undefined) return writeAnswer(exchange, location === undefined ? 200 : 302, envelope);
  const sealed = await seal(Buffer.from(envelope));
  Object.assign(exchange.answerHeaders, {
    "Content-Type": "text/plain; charset=utf-8",
    Encrypted: formatEncryptedHeader(),
  });
  writeAnswer(exchange, 200, sealed);
}

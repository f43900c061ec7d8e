import { successMessage, successStatus } from "@sallyport/contract";
import type { Exchange } from "../pipeline/exchange.ts";
import type { Success } from "../routes/route.ts";
import { writeAnswer } from "./answer.ts";

const plainStatus = JSON.stringify({ internalStatus: successStatus, statusMessage: successMessage });

/** Writes the success of a use case. */
export function writeSuccess(exchange: Exchange, { data, message, version }: Success): void {
  const status =
    message === undefined ? plainStatus : JSON.stringify({ internalStatus: successStatus, statusMessage: message });
  if (version !== undefined) exchange.answerHeaders["ETag"] = `"${version}"`;
  writeAnswer(exchange, 200, `{"status":${status},"data":${JSON.stringify(data)}}`);
}

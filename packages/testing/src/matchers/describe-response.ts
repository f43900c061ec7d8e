import { envelopeOf, headerOf, type ReceivedResponse } from "./received-response.ts";
import { whyRefused } from "./recorded-refusals.ts";
import { requestAsCurl } from "./request-as-curl.ts";
import { maskedJson, maskedText } from "./secrets.ts";

const longestBody = 2_000;

/** A response for a person: status and body, the request as a command, and why the service refused it. */
export function describeResponse(response: ReceivedResponse): string {
  const { status, body, text } = response;
  const envelope = envelopeOf(response);
  const shown = envelope === null ? maskedText(text ?? JSON.stringify(body) ?? "") : maskedJson(envelope, 2);
  const cut = shown.length > longestBody ? `${shown.slice(0, longestBody)}…` : shown;
  const curl = requestAsCurl(response.request);
  const why = whyRefused(headerOf(response, "x-request-id") ?? "");
  return [
    `HTTP ${status}\n${cut}`,
    ...(curl === null ? [] : [`Request:\n${curl}`]),
    ...(why === null ? [] : [`Why it was refused:\n${why}`]),
  ]
    .map((part) => part.replaceAll("\n", "\n  "))
    .join("\n\n");
}

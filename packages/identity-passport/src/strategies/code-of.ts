import type { CallbackParameters } from "@sallyport/core";
import { unproven } from "../http/provider-failure.ts";

/** What providers say when somebody changed his mind, Apple in its own way. */
const cancelled = new Set(["access_denied", "user_cancelled_authorize"]);

const longestCode = 4_096;

/** The code that a callback brought for this log-in; 324 if the provider or its user refused, or if it is no such callback. */
export function codeOf(parameters: CallbackParameters, state: string): string {
  if (parameters.get("state") !== state) throw unproven("the callback belongs to another log-in");
  const error = parameters.get("error") ?? parameters.get("error_code");
  if (error !== undefined)
    throw unproven(cancelled.has(error) ? "the user cancelled at the provider" : "the provider refused the log-in");
  const code = parameters.get("code") ?? "";
  if (code === "" || code.length > longestCode) throw unproven("the callback has no code");
  return code;
}

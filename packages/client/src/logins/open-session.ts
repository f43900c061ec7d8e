import type { Transport } from "../transport/transport.ts";
import { logInEncrypted } from "./log-in-encrypted.ts";
import type { LogInOptions } from "./log-in-options.ts";
import { logInWithSessionId, logInWithToken } from "./log-in-plainly.ts";
import type { OpenedSession } from "./log-in-result.ts";
import { logInSecurely } from "./log-in-securely.ts";

/** Logs in, in whichever mode. */
export async function openSession(
  transport: Transport,
  options: LogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  switch (options.mode) {
    case "session":
      return logInWithSessionId(transport, options, signal);
    case "token":
      return logInWithToken(transport, options, signal);
    case "encrypted":
      return logInEncrypted(transport, options, signal);
    case "secure":
      return logInSecurely(transport, options, signal);
    default:
      throw new TypeError("`mode` is one of session, token, encrypted and secure.");
  }
}

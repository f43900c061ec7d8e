import { headerNames } from "@sallyport/contract/header-names";
import { HeaderSession } from "../sessions/header-session.ts";
import type { Transport } from "../transport/transport.ts";
import { logInBody } from "./log-in-body.ts";
import type { PlainLogInOptions } from "./log-in-options.ts";
import { credentialOf, type LogInData, type OpenedSession, openedSession } from "./log-in-result.ts";
import { postPlainLogIn } from "./post-log-in.ts";

type SessionData = LogInData & { readonly sessionId: string };

/** Session-id mode: `POST /v1/login` or another door, then the header `sessionId`. */
export async function logInWithSessionId(
  transport: Transport,
  options: PlainLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { path = "/v1/login", fields, answered } = options.door ?? {};
  const data =
    (answered as SessionData | undefined) ??
    (await postPlainLogIn<SessionData>(transport, path, logInBody(options, fields), signal));
  return openedSession(new HeaderSession("session", headerNames.sessionId, credentialOf(data.sessionId)), data);
}

/** Token mode: `POST /v2/login`, then the header `Authorization`. */
export async function logInWithToken(
  transport: Transport,
  options: PlainLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const data = await postPlainLogIn<LogInData & { token: string }>(transport, "/v2/login", logInBody(options), signal);
  return openedSession(
    new HeaderSession("token", headerNames.authorization, `Bearer ${credentialOf(data.token)}`),
    data,
  );
}

import type { LoadRequest } from "../load/load-job.ts";
import { userNameOf } from "./fill-schema.ts";
import { password } from "./password.ts";
import { appName } from "./prepare-schema.ts";

/** The request with which a user that was filled in logs in. */
export function logInRequest(appKey: string, user: number, alias = ""): LoadRequest {
  return {
    method: "POST",
    path: `${alias}/v1/login`,
    headers: { appkey: appKey, "content-type": "application/json" },
    body: JSON.stringify({ user: userNameOf(user), pass: password, appNames: [appName] }),
  };
}

/** Logs in and gives the session id. */
export async function logIn(address: string, { path, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(address + path, { method: "POST", headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`The log-in was refused: ${text}`);
  return (JSON.parse(text) as { data: { sessionId: string } }).data.sessionId;
}

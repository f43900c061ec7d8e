import type { LoadRequest } from "../load/load-job.ts";
import { logInRequest } from "./log-in.ts";

/** The request with which a user that was filled in logs in for a token. */
export function tokenLogInRequest(appKey: string, user: number): LoadRequest {
  return { ...logInRequest(appKey, user), path: "/v2/login" };
}

/** Logs in and gives the token. */
export async function logInForToken(address: string, { path, headers, body }: LoadRequest): Promise<string> {
  const response = await fetch(address + path, { method: "POST", headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`The log-in was refused: ${text}`);
  return (JSON.parse(text) as { data: { token: string } }).data.token;
}

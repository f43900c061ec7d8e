import type { Route } from "./route.ts";

/** Whether a route can be called in a session, and so in a secure one. */
export function takesSession({ access }: Pick<Route, "access">): boolean {
  return access === "session" || access === "optional";
}

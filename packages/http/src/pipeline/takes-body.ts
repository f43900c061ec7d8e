import { needsBody } from "../routes/needs-body.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Whether a body is to be read: where the route needs one, and one that comes where the route can do without or, in a
 * secure session, wherever it comes, because there is nothing in clear text in it.
 */
export function takesBody({ route, channel, request: { headers } }: Exchange): boolean {
  if (needsBody(route)) return true;
  const comes = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return comes && (route.body !== undefined || channel !== null);
}

/** Whether a body that is to be read may turn out to be empty, and needs no content type then. */
export function mayBeEmpty({ route, request: { headers } }: Exchange): boolean {
  return !needsBody(route) && headers["transfer-encoding"] !== undefined;
}

import type { Exchange } from "./exchange.ts";

/**
 * Whether a body is to be read: where the route needs one, and in a secure session wherever one comes, because there is
 * nothing in clear text in it.
 */
export function takesBody({ route, channel, request: { headers } }: Exchange): boolean {
  if (route.body !== undefined) return true;
  const comes = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return channel !== null && comes;
}

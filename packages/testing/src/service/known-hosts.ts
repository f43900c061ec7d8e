import { isIPv4 } from "node:net";

/** Whether a host is this machine, or has a name that is reserved for tests. `hostname`: as in `URL`. */
export function isKnownHost(hostname: string): boolean {
  if (isIPv4(hostname)) return hostname.startsWith("127.");
  return hostname === "[::1]" || /(?:^|\.)(?:localhost|test)\.?$/.test(hostname);
}

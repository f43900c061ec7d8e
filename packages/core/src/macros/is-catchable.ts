import { ServiceError } from "../errors/service-error.ts";

const beyondRequests: ReadonlySet<number> = new Set([710, 713, 718, 801]);
const aboutTheServer: ReadonlySet<number> = new Set([607, 699]);

/**
 * Whether a module may catch what a call of the host was refused with: what says something about the request or about objects, and
 * not what says something about the server or the database, after which nothing can go on.
 */
export function isCatchable(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { code } = error;
  return (code >= 300 && code < 700 && !aboutTheServer.has(code)) || beyondRequests.has(code);
}

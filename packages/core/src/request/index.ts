export type { AppKeyContext, ClientOrigin, RequestContext, SessionContext } from "./request-context.ts";

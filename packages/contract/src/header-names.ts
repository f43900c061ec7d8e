/** HTTP header names in lower case, as Node reports them. */
export const headerNames = {
  acceptLanguage: "accept-language",
  appKey: "appkey",
  sessionId: "sessionid",
  authorization: "authorization",
  secureToken: "secure-token",
  contentRange: "content-range",
  encrypted: "encrypted",
  idempotencyKey: "idempotency-key",
  ifMatch: "if-match",
  notExecuted: "not-executed",
  requestId: "x-request-id",
  syncRestart: "sync-restart",
} as const;

const requestHeaders = [
  "appkey",
  "sessionid",
  "authorization",
  "secure-token",
  "content-type",
  "encrypted",
  "x-request-id",
  "if-match",
  "if-none-match",
  "if-range",
  "content-range",
  "range",
];

const exposedHeaders = [
  "content-range",
  "accept-ranges",
  "etag",
  "encrypted",
  "retry-after",
  "content-disposition",
  "x-request-id",
  "sync-restart",
];

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Headers of any answer to a browser whose origin is listed. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": exposedHeaders.join(", "),
    Vary: "Origin",
  };
}

/** Headers of the answer to a preflight. */
export function preflightHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": requestHeaders.join(", "),
    "Access-Control-Max-Age": "600",
    Vary: "Origin",
  };
}

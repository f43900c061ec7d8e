import type { Entries } from "./entry.ts";

/** Codes of requests to any operation. */
export const requests = {
  300: {
    status: 400,
    name: "Body is missing",
    condition: "The route requires a body and none was sent.",
    meaning: "The route needs a body, and the request has none.",
    causes: ["The client sends no body.", "A redirect or a proxy drops the body of the request."],
    actions: ["Send the body that the route describes. Send the JSON `{}` where all members are optional."],
  },
  304: {
    status: 404,
    name: "Invalid path",
    condition: "No route exists at this path, or no object, class or other resource that the caller can see.",
    meaning:
      "Nothing that the caller can see exists at this path. An object or class that the caller cannot read has the same response as a missing one.",
    causes: [
      "The path is misspelled, or its alias is unknown.",
      "The object or the class does not exist, or the caller has no right to read it.",
      "The path has an encoded slash, a semicolon or a dot segment.",
      "`/v1/2fa/…`: the user has no second factor, or it is not confirmed and the route validates a token.",
      "`DELETE /v1/auth/links/{providerName}`: the user has no linked account at this provider.",
      "The field `path` of an upload names another folder than `/`.",
    ],
    actions: [
      "Compare the path with the [API description](../openapi.json). Paths begin with the alias, if the database has one.",
      "Check the id, and the rights of the user on the class and the [readers](../../guides/objects.md#readers) of the object.",
    ],
  },
  305: {
    status: 405,
    name: "Invalid method",
    condition: "The path does not support this method. `Allow` lists the supported ones.",
    meaning:
      "The path exists, but not with this method. The header `Allow` of the response lists the accepted methods.",
    causes: [
      "The client uses another method, such as `PUT` instead of `PATCH`.",
      "The client sends `HEAD`, which no route accepts.",
      "A browser sends a preflight, and no app key of the database lists its origin.",
    ],
    actions: [
      "Use a method of `Allow`.",
      "For a browser application, add its origin to the app key. See [In a browser](../../guides/client.md#in-a-browser).",
    ],
  },
  307: {
    status: 400,
    name: "Request is invalid",
    condition: "A parameter or member has the wrong type or range, and no more specific code exists.",
    meaning:
      "A parameter or a member of the body is not acceptable, and no closer code exists. With `DEBUG_MESSAGES=true`, `debugMessage` has the JSON pointer and the reason.",
    causes: [
      "A value has the wrong type or is out of range. The server never converts strings to other types.",
      "A name is unknown: an attribute, an operator, a member of `query` or `serialization`.",
      "A mandatory attribute is missing, a reference leads to no object, or a name is taken.",
      "A number for a `json` attribute is not exact as a 64-bit float: 9007199254740993, 1e400, -0. Send it as a string.",
      "A limit is exceeded: 32 levels of nesting, 10,000 elements, 1,000 members, or the size of the response.",
      "The request has credentials and arrives over plain HTTP from another machine.",
      "`Idempotency-Key` is malformed, or was sent with another request.",
    ],
    actions: [
      "Set `DEBUG_MESSAGES=true` on a test server, repeat the request and read `debugMessage`.",
      "Validate the request against the [API description](../openapi.json).",
      "Use HTTPS. Behind a proxy that ends TLS, set `TRUSTED_PROXIES`.",
    ],
  },
  308: {
    status: 400,
    name: "Payload is not a valid JSON",
    condition: "A parameter or part that contains JSON does not parse.",
    meaning: "A query parameter that contains JSON does not parse. The parameters are `query` and `serialization`.",
    causes: ["The JSON has a syntax error.", "The value is not URL-encoded, so that `&`, `#`, `+` or `%` cut it."],
    actions: ["Serialize the value with a JSON library, then URL-encode it."],
  },
  311: {
    status: 400,
    name: "Body is not a valid JSON",
    condition: "A plain body does not parse as JSON.",
    meaning: "The body is not valid JSON.",
    causes: ["The JSON has a syntax error, or is cut off.", "The body is not UTF-8.", "The body is a form."],
    actions: ["Serialize the body with a JSON library, and send it as UTF-8."],
  },
  329: {
    status: 400,
    name: "Query is not an object",
    condition: "`query` is JSON but not an object.",
    meaning: "The parameter `query` is valid JSON, but not an object.",
    causes: ["The client sends an array, a string, a number or `null`."],
    actions: ["Send an object, such as `query={}`. See [Find objects](../../guides/queries.md)."],
  },
  607: {
    status: 503,
    name: "Connection cannot be acquired, pool is overloaded",
    condition: "No database connection became available in time.",
    meaning: "No connection to the database became free in time. The request changed nothing.",
    causes: [
      "More requests arrive than the database can serve with `storage.pool.max` connections.",
      "Slow statements or long macros hold the connections.",
      "The embedded engine serves one statement at a time, and restarts after a time-out.",
    ],
    actions: [
      "Retry after the seconds of `Retry-After`.",
      "An operator looks for slow statements in the log, and raises `storage.pool.max`. See [Load](../../guides/operate.md#load).",
    ],
  },
  699: {
    status: 400,
    name: "Unknown client error",
    condition: "The HTTP parser refuses the request, or no more specific client error exists.",
    meaning:
      "The request is not acceptable as HTTP, or it did not arrive completely. The server closes the connection after the response.",
    causes: [
      "The request line or a header is malformed, or the headers are too large.",
      "The request has no `Host`, two of them, or an unknown transfer coding.",
      "The headers or the body took longer than the time-outs allow, or came in too many small chunks.",
      "The client closed the connection before the end of the body.",
    ],
    actions: [
      "Look up `detail` in the log of the server by `X-Request-Id`.",
      "For slow networks, an operator raises `REQUEST_TIMEOUT` or `BODY_TIMEOUT`.",
    ],
  },
  800: {
    status: 429,
    name: "Too many requests",
    added: true,
    condition: "A configured request rate is exceeded. `Retry-After` states when to retry.",
    meaning:
      "The client sends more requests than a rate of the database allows: from its address, with its app key, or in its session.",
    causes: [
      "The client sends requests in a loop, or retries without a delay.",
      "Many clients share the app key or the address.",
      "The items of a multi request and the changes of a push count as requests.",
      "The user has sent 1,000 idempotency keys within 24 hours.",
    ],
    actions: [
      "Retry after `Retry-After`, and send fewer requests.",
      "An operator finds the exceeded rate in the metrics and raises it. See [Limits](../../guides/limits.md).",
    ],
  },
  801: {
    status: 413,
    name: "Payload is too large",
    added: true,
    condition: "The body exceeds the limit of the route, or an object would exceed 1 MiB.",
    meaning: "The body, or the object that it writes, is too large.",
    causes: [
      "A body has more than 1 MiB, or more than 64 KiB on a route without a session.",
      "The attributes of one object take more than 1 MiB as JSON.",
      "A request with an `Idempotency-Key` is repeated. It was executed, but its result was too large to be kept.",
    ],
    actions: [
      "Split the request, or store less in one object.",
      "Send many objects in parts, with [several requests in one](../../guides/multi.md).",
    ],
  },
} satisfies Entries;

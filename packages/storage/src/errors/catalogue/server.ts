import type { Entries } from "./entry.ts";

/** Codes of the server and its databases. */
export const server = {
  704: {
    status: 500,
    name: "Unable to connect to RAS server",
    condition: "The database cannot be reached.",
    meaning: "The server cannot reach its database. It reconnects without a restart.",
    causes: [
      "The database server is down, restarts, or refuses connections.",
      "The address, the user or the password of the connection is wrong.",
      "The connection broke off during the request, or leads to a standby.",
      "The database is read-only.",
    ],
    actions: [
      "Retry with growing delays. A write that broke off can be done: read the object before you repeat the write.",
      "An operator reads `/readyz` and the log of the server.",
    ],
  },
  705: {
    status: 500,
    name: "Missing database configuration",
    condition:
      "The database has no storage settings, is not migrated, or may have lost writes in a failover; or an operation requires a master key and the server has none or the wrong one.",
    meaning: "The database is not ready for this request, because its configuration is incomplete.",
    causes: [
      "The database has no storage settings, or is not migrated to this version.",
      "The request needs the master key, and the server has none. Token, encrypted and secure log-ins need it.",
      "The server has another master key than the one that encrypted the keys of the database.",
      "The server started on a database that a newer version of the server had migrated.",
    ],
    actions: [
      "Run `sallyport-server check-config`, then `sallyport-server migrate`.",
      "Set `MASTER_KEY` or `MASTER_KEY_FILE`. See [The keys of the server](../../guides/keys.md).",
    ],
  },
  706: {
    status: 503,
    name: "The server is currently unavailable",
    condition:
      "The server is overloaded or in maintenance, or its database refuses a call. `Retry-After` states when to retry.",
    meaning:
      "The server does not serve the request now. Usually `Retry-After` has the number of seconds until a retry can succeed.",
    causes: [
      "The database is in maintenance. `status.notice` has the message of the operator, if there is one.",
      "The event loop of the server is delayed.",
      "The server has too many requests, incomplete bodies, transfers of files, unread responses, password hashes or macros.",
      "A statement or a multi request took too long, or a transaction failed three times because of conflicts.",
      "A network has too many pending log-ins or password resets, or an identity provider does not respond.",
      "The server stops.",
      "The database refuses a log-in, a read, or another call that has no code of its own. Its disk is full, for example, or it has no memory.",
    ],
    actions: [
      "Retry after `Retry-After`, without it with growing delays.",
      "An operator compares the metrics with the limits in [Load](../../guides/operate.md#load).",
      "For slow lists, define an index. See [Speed](../../guides/queries.md#speed).",
      "If the database refuses calls, see [A database that refuses writes](../../guides/operate.md#a-database-that-refuses-writes).",
    ],
  },
  711: {
    status: 500,
    name: "Unable to send licence-update statistics message",
    condition: "A required statistics message could not be sent.",
    meaning:
      "The licence server has not accepted the message about a change of seats, which is required. The server undoes the change.",
    causes: [
      "The licence server cannot be reached, or does not answer within 5 seconds.",
      "It answers with a status other than 2xx, for example because it has another secret.",
      "An atomic multi request reserves or releases seats.",
    ],
    actions: [
      "Retry later. Users can log out all the same.",
      "An operator finds the reason in the log by the request id (`X-Request-Id`). See [Report seats to a licence server](../../guides/licences.md#report-seats-to-a-licence-server).",
    ],
  },
  799: {
    status: 500,
    name: "Unknown server error",
    condition: "A defect of the server. The log contains it under the request id.",
    meaning: "The server failed in an unexpected way. The response reveals no details.",
    causes: [
      "A defect of the server, of a storage adapter or of a macro runtime. A database that refuses a call is not a cause: it has codes of its own.",
    ],
    actions: [
      "An operator finds the error and its cause in the log by `X-Request-Id`.",
      "Report the defect with the version of the server and the log line, without secrets.",
    ],
  },
} satisfies Entries;

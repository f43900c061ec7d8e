import type { Entries } from "./entry.ts";

/** Codes of app keys, sessions, tokens and the fields of a log-in. */
export const credentials = {
  100: {
    status: 400,
    name: "App key is missing",
    condition: "The request has no `appkey` header.",
    meaning: "The request has no app key. The server checks the app key before it looks at the session or the body.",
    causes: [
      "The client does not send the header `appkey`, or sends it blank.",
      "A proxy removes the header.",
      "A browser opens `GET /v1/auth/{providerName}` without the query parameter `appkey`.",
    ],
    actions: [
      "Send `appkey: <app key>` with every request.",
      "A browser navigation cannot set headers. At the start of a provider log-in, send `?appkey=<app key>` instead.",
    ],
  },
  101: {
    status: 401,
    name: "App key is invalid",
    condition: "The `appkey` header names no enabled app key of the database.",
    meaning: "The database does not accept the app key. An app key is valid in one database, while it is enabled.",
    causes: [
      "The app key is misspelled, disabled, or belongs to another database.",
      "The path has the alias of another database, or no alias.",
      "The request has the header twice with different values.",
      "At the callback of a provider: the app key was disabled after the log-in began.",
    ],
    actions: [
      "Compare the value, and check the alias in the path. `sallyport --local app-key list` shows the enabled keys by name.",
      "Create an app key with `sallyport --local app-key create`.",
    ],
  },
  200: {
    status: 400,
    name: "Session is missing",
    condition: "A plain request that needs a session has no credential header.",
    meaning: "The route needs a session, and the request has no credential.",
    causes: [
      "The client did not log in, or lost the session id.",
      "None of the headers `sessionId`, `Authorization` and `Secure-Token` is present.",
      "A proxy removes the header.",
    ],
    actions: [
      "Log in, and send the credential of the response with every request.",
      "Clients that treat 200 as success can get [204](204.md) instead: set `MISSING_CREDENTIAL=204`.",
    ],
  },
  201: {
    status: 401,
    name: "Session is invalid",
    condition: "The `sessionId` header names no active session of this app key and database.",
    meaning: "The header `sessionId` names no live session of this app key and this database.",
    causes: [
      "The session expired: 30 minutes without a request, or 12 hours after the log-in by default.",
      "The session ended: log-out, a new password, a disabled user, a removed identity link, or too many sessions of one device.",
      "The request has another app key or alias than the log-in.",
      "The value is a JWT or a secure token. Each kind of credential has a header of its own.",
    ],
    actions: [
      "Log in again and repeat the request. `@sallyport/client` [renews sessions](../../guides/client.md) by itself.",
      "An operator sets the lifetimes with `SESSION_IDLE_TIMEOUT` and `SESSION_ABSOLUTE_LIFETIME`.",
    ],
  },
  202: {
    status: 400,
    name: "Token is missing",
    condition: "An encrypted request has no `Secure-Token` header.",
    meaning:
      "The request has an encrypted body and no secure token. The content type `application/text` marks an encrypted body.",
    causes: [
      "The client does not send the header `Secure-Token`.",
      "The client sends a plain body with the wrong content type.",
    ],
    actions: [
      "In a secure session, send `Secure-Token: <data.sessionId of the log-in>`. See [Secure mode](../../guides/secure-mode.md).",
      "In other modes, send `Content-Type: application/json` and the credential of the session.",
    ],
  },
  203: {
    status: 401,
    name: "Token is invalid",
    condition: "The `Secure-Token` or the JWT is malformed, expired, revoked or of another server.",
    meaning: "The JWT or the secure token is not valid.",
    causes: [
      "The token is malformed, expired or revoked, or its session ended.",
      "The request has another app key or alias than the log-in.",
      "The request has two credential headers, or one header twice with different values.",
      "The servers of an installation have different master keys.",
    ],
    actions: [
      "Log in again. In secure mode, use the new key and begin with message number 0.",
      "Send exactly one of `sessionId`, `Authorization` and `Secure-Token`.",
      "If one server of several returns 203, compare the [master keys](../../guides/keys.md#change-the-master-key).",
    ],
  },
  204: {
    status: 400,
    name: "Token or session is missing",
    condition: "A credential header is present but blank.",
    meaning: "A credential header is present and blank.",
    causes: [
      "The client sends `sessionId`, `Authorization` or `Secure-Token` without a value, for example before its log-in.",
      "With `MISSING_CREDENTIAL=204`: the request has no credential header at all.",
    ],
    actions: ["Log in, and send the credential of the response."],
  },
  205: {
    status: 400,
    name: "Public key is missing",
    condition: "The body has no `publicKey`.",
    meaning: "The encrypted log-in has no public key. The server needs the key to encrypt its response.",
    causes: ["The body has no member `publicKey`, or a blank one."],
    actions: [
      "Send the client's RSA public key as `publicKey`. See [Secure mode](../../guides/secure-mode.md#publickey) for the accepted forms.",
    ],
  },
  206: {
    status: 400,
    name: "Credentials are missing",
    condition: "The body has no `credentials`, or no `aesKey` or `data`.",
    meaning: "The encrypted log-in has no encrypted credentials.",
    causes: [
      "`POST /v2/login/secure`: the body has no `credentials`, or a blank value.",
      "`POST /v2/login`: the body has `aesKey` without `data`, or `data` without `aesKey`.",
    ],
    actions: [
      "Send `credentials` to `/v2/login/secure`, and `aesKey` with `data` to `/v2/login`. See [Secure mode](../../guides/secure-mode.md#credentials).",
    ],
  },
  207: {
    status: 406,
    name: "Content type is missing or is invalid",
    condition: "The `Content-Type` is absent or not supported by the route.",
    meaning: "The server does not accept the content type of the body.",
    causes: [
      "`Content-Type` is missing, or is not `application/json`.",
      "The charset is not UTF-8, or the body is compressed (`Content-Encoding`).",
      "In a secure session: the type is not `application/text`.",
      "A provider other than Apple posts a form to its callback.",
    ],
    actions: [
      "Send `Content-Type: application/json`, in a secure session `application/text`.",
      "Send the body uncompressed, in UTF-8.",
    ],
  },
  208: {
    status: 400,
    name: "App names are invalid",
    condition: "`appNames` or `app` contains a blank, unknown or forbidden name, or a value that is not a string.",
    meaning: "An app name is malformed, unknown, or not allowed for this request.",
    causes: [
      "`appNames` is an empty array, has more than 100 values, or has a value that is blank or not a string.",
      "The database does not know the app name.",
      "The app key is restricted to other app names.",
      "`/v1/2fa/…`: the query parameter `app` is blank, or is not an app name of the session.",
    ],
    actions: [
      "Check the names with `sallyport --local app list`, and those of the app key with `sallyport --local app-key list`.",
      "For `/v1/2fa/…`, send an app name of the session as `app`, or log in with that app name.",
    ],
  },
  209: {
    status: 400,
    name: "App names are missing",
    condition: "A log-in has no `appNames`, or a second-factor request no `app`.",
    meaning: "The request has no app name.",
    causes: [
      "The body of the log-in has no member `appNames`.",
      "`/v1/2fa/…`: the query parameter `app` is missing.",
      "`GET /v1/auth/{providerName}`: the query has no `appNames`, and the provider is registered without app names.",
    ],
    actions: [
      'Send `"appNames": ["<app name>"]`. A single string is accepted, too.',
      "For `/v1/2fa/…`, send `?app=<app name>`.",
      "For a provider log-in, send `appNames` in the query, or register the provider with default app names.",
    ],
  },
  210: {
    status: 400,
    name: "Duplicated app names",
    condition: "`appNames` contains a name twice.",
    meaning: "`appNames` has the same name twice.",
    causes: ["The client joins lists of app names without removing duplicates."],
    actions: ["Send each app name once."],
  },
} satisfies Entries;

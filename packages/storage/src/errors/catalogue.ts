/** An error code with its HTTP status and documentation. */
export interface CatalogueEntry<Code extends number = number> {
  /** `status.internalStatus` of the response, as a number. */
  readonly code: Code;
  /** HTTP status. Each code has exactly one. */
  readonly status: number;
  /** `status.statusMessage` of the response. */
  readonly name: string;
  /** When the code is returned, in one Markdown sentence. */
  readonly condition: string;
}

/** HTTP status, name and condition by code. */
type Entries<Code extends number> = Readonly<Record<Code, readonly [status: number, name: string, condition: string]>>;

const fixed = {
  // Errors of requests, credentials and access rights.
  100: [400, "App key is missing", "The request has no `appkey` header."],
  101: [401, "App key is invalid", "The `appkey` header names no enabled app key of the database."],
  200: [400, "Session is missing", "A plain request that needs a session has no credential header."],
  201: [401, "Session is invalid", "The `sessionId` header names no active session of this app key and database."],
  202: [400, "Token is missing", "An encrypted request has no `Secure-Token` header."],
  203: [401, "Token is invalid", "The `Secure-Token` or the JWT is malformed, expired, revoked or of another server."],
  204: [400, "Token or session is missing", "A credential header is present but blank."],
  205: [400, "Public key is missing", "The body has no `publicKey`."],
  206: [400, "Credentials are missing", "The body has no `credentials`, or no `aesKey` or `data`."],
  207: [406, "Content type is missing or is invalid", "The `Content-Type` is absent or not supported by the route."],
  208: [
    400,
    "App names are invalid",
    "`appNames` or `app` contains a blank, unknown or forbidden name, or a value that is not a string.",
  ],
  209: [400, "App names are missing", "A log-in has no `appNames`, or a second-factor request no `app`."],
  210: [400, "Duplicated app names", "`appNames` contains a name twice."],
  300: [400, "Body is missing", "The route requires a body and none was sent."],
  301: [400, "User and password are missing", "`user` or `pass` is absent, blank, too long or not a string."],
  302: [
    403,
    "User and password are invalid",
    "The user is unknown or disabled, the password is wrong, or too many attempts have failed.",
  ],
  304: [
    404,
    "Invalid path",
    "No route exists at this path, or no object, class or other resource that the caller can see.",
  ],
  305: [405, "Invalid method", "The path does not support this method. `Allow` lists the supported ones."],
  306: [403, "License login failed", "No free seat is left for one of the app names."],
  307: [
    400,
    "Request is invalid",
    "A parameter or member has the wrong type or range, and no more specific code exists.",
  ],
  308: [400, "Payload is not a valid JSON", "A parameter or part that contains JSON does not parse."],
  309: [400, "Public key is invalid", "`publicKey` is not an acceptable RSA key."],
  310: [400, "Credentials data are invalid", "`credentials` cannot be decrypted or were used before."],
  311: [400, "Body is not a valid JSON", "A plain body does not parse as JSON."],
  312: [
    400,
    "Body JSON or symmetric key are invalid",
    "An encrypted message has an invalid encoding or sequence, or its plaintext is not JSON.",
  ],
  314: [500, "Symmetric key is missing or is invalid", "The session key cannot be decrypted."],
  315: [429, "Session load limit reached", "The database or the user has reached the limit of active sessions."],
  318: [403, "Device or user is banned", "Device management bans the device or the user."],
  319: [400, "Old password is missing or is invalid", "`oldPassword` is absent or not a valid string."],
  320: [
    400,
    "New password is missing or is invalid",
    "`newPassword` is absent, too short or in a list of breached passwords.",
  ],
  321: [400, "The old and new password cannot be the same", "`oldPassword` and `newPassword` are equal."],
  322: [400, "Encrypted parameter is missing or is invalid", "`encrypted` is not a boolean."],
  323: [400, "License release failed", "The session does not have the seat to release."],
  324: [400, "Cannot assign DF user to oAuth account", "The provider account cannot be linked to a database user."],
  325: [400, "User name is missing or is invalid", "`user` of a password reset is absent or not a valid string."],
  326: [400, "Confirmation code is missing or is invalid", "`confirmationCode` is absent, wrong or expired."],
  328: [
    400,
    "Reset password token is missing or is invalid",
    "`resetPasswordToken` is absent, unknown, used or expired.",
  ],
  329: [400, "Query is not an object", "`query` is JSON but not an object."],
  330: [
    400,
    "Invalid version of synchronization",
    "`syncVersion` is unreadable, too old, in the future or of another database.",
  ],
  332: [400, "Invalid synchronization request", "The synchronisation request is malformed or stale."],
  333: [400, "Schema name is invalid", "The synchronisation schema is unknown or its name is invalid."],
  334: [400, "Object UUID does not exist in sync DB", "The UUID is neither live nor deleted in this schema."],
  335: [400, "Schema name is missing", "No synchronisation schema is named."],
  336: [400, "Object UUID in parameter and body are not equal", "Path and body name different objects."],
  338: [400, "Sync version is missing", "`syncVersion` is absent."],
  339: [400, "Wrong password", "The old password is wrong on a password change."],
  400: [400, "Macro name is invalid", "The macro name in the path is malformed."],
  401: [403, "Macro is inaccessible", "The caller's groups or app names have no access to the macro."],
  402: [403, "Macro is inaccessible - cannot skip checker", "The caller has no right to skip the execution checker."],
  403: [403, "App is inaccessible", "Device management forbids an app for this user or device."],
  404: [403, "No write access to the object", "The caller can read the object but not write it."],
  500: [400, "No file was uploaded", "The multipart body contains no file."],
  501: [400, "Empty file uploaded", "The file has no bytes."],
  502: [400, "Unsupported file name", "The file's name or extension is not allowed."],
  503: [400, "Only single file upload supported", "The multipart body contains more than one file."],
  // Errors of operations, the database and the server.
  600: [416, "Invalid range", "The range cannot be satisfied or conflicts with received bytes."],
  601: [400, "UploadId is missing", "The path names no upload."],
  602: [400, "UploadId pattern is invalid", "The upload id is not a UUID."],
  603: [404, "UploadId is invalid", "The upload is unknown or belongs to another user."],
  604: [400, "No file was sent", "A chunk has no bytes, or an upload without bytes is finished."],
  605: [409, "Conflict - unable to delete upload cache", "The upload is in use and cannot be cancelled."],
  606: [409, "Conflict - UploadId is locked", "Another request is writing this upload."],
  607: [503, "Connection cannot be acquired, pool is overloaded", "No database connection became available in time."],
  608: [400, "External user config is invalid", "The additional data of the provider is incomplete."],
  609: [410, "Object already deleted", "The object existed and was deleted."],
  610: [400, "Unable to update - object has been deleted", "A deleted object cannot be changed."],
  611: [400, "No synchronization registered", "The database has no synchronisation schema."],
  698: [
    400,
    "OAuth strategy not registered properly",
    "The identity provider is unknown or has no entry in the database.",
  ],
  699: [400, "Unknown client error", "The HTTP parser refuses the request, or no more specific client error exists."],
  700: [500, "Unable to create upload cache", "The upload folder cannot be created."],
  702: [500, "Unable to store file", "The file store refuses the file."],
  703: [500, "Unable to logout", "Storage failed to end the session. The session is unchanged."],
  704: [500, "Unable to connect to RAS server", "The database cannot be reached."],
  705: [
    500,
    "Missing database configuration",
    "The database has no storage settings, is not migrated, or may have lost writes in a failover; or an operation requires a master key and the server has none or the wrong one.",
  ],
  706: [
    503,
    "The server is currently unavailable",
    "The server is overloaded or in maintenance, or its database refuses a call. `Retry-After` states when to retry.",
  ],
  707: [500, "File to download is unavailable", "The file store no longer has the bytes of the file."],
  708: [500, "Error while encrypting file", "Encrypting or decrypting the stored file failed."],
  709: [500, "Upload directory not found", "The upload folder is missing."],
  710: [500, "Unable to execute macro", "The macro is unknown, failed or exceeded a limit."],
  711: [500, "Unable to send licence-update statistics message", "A required statistics message could not be sent."],
  712: [500, "Unable to send reset password email", "The mail transport cannot be used."],
  713: [
    500,
    "Unable to update object in the database",
    "The object is locked, its version is not the expected one, or the database refuses the write.",
  ],
  714: [
    500,
    "Unable to update object in the synchronization database",
    "The synchronisation index refused the update.",
  ],
  716: [500, "Unable to query sync changes", "The change query failed, or the schema's storage is missing."],
  717: [500, "Synchronization service is disabled", "Synchronisation is disabled."],
  718: [500, "Unable to delete object in the database", "The main store refused to delete the object."],
  719: [
    500,
    "Unable to delete object in the synchronization database",
    "The synchronisation index refused the delete.",
  ],
  720: [
    500,
    "Unable to insert object into the synchronization database deleted elements",
    "The deleted element could not be recorded.",
  ],
  721: [500, "Unable to query sync schemas", "The list of synchronisation schemas cannot be read."],
  799: [500, "Unknown server error", "A defect of the server. The log contains it under the request id."],
} as const satisfies Entries<number>;

const added = {
  340: [
    401,
    "Two-factor token is required",
    "An app name requires a second factor, and the user has no confirmed one. Or a session for setting one up is used for another request.",
  ],
  341: [
    401,
    "Two-factor token is missing",
    "The user has a second factor, and `2faToken` or `token` is absent or empty.",
  ],
  342: [401, "Two-factor token is invalid", "`2faToken` or `token` is wrong, expired or was used before."],
  800: [429, "Too many requests", "A configured request rate is exceeded. `Retry-After` states when to retry."],
  802: [
    403,
    "Recent proof is required",
    "The request needs a proof of the password or second factor that is at most 10 minutes old. See `POST /admin/v1/proof`.",
  ],
  801: [413, "Payload is too large", "The body exceeds the limit of the route, or an object would exceed 1 MiB."],
} as const satisfies Entries<number>;

/** Every error code of a response. `0`, success, is not included. */
export type ErrorCode = keyof typeof fixed | keyof typeof added;

/**
 * The fixed error catalogue. Every failed response has one of these codes or an extension. Clients rely on the codes, so
 * the code, status and name of an entry never change.
 */
export const catalogue = entriesOf(fixed);

/** Error codes of this implementation beyond the fixed catalogue. */
export const extensions = entriesOf(added);

/** Converts a table to entries in ascending order of the codes. Integer keys of an object iterate in that order. */
function entriesOf<Code extends ErrorCode>(table: Entries<Code>): readonly CatalogueEntry<Code>[] {
  const codes = Object.keys(table).map(Number) as Code[];
  return codes.map((code) => {
    const [status, name, condition] = table[code];
    return { code, status, name, condition };
  });
}

const entries: ReadonlyMap<number, CatalogueEntry> = new Map(
  [...catalogue, ...extensions].map((entry) => [entry.code, entry]),
);

export function errorEntry(code: ErrorCode): CatalogueEntry {
  return entries.get(code) as CatalogueEntry;
}

/** Whether a number is a code of the catalogue or of its extensions. */
export function isErrorCode(code: number): code is ErrorCode {
  return entries.has(code);
}

import type { ErrorTexts } from "./error-text.ts";

/** Texts of the codes about macros, rights, uploads, deleted objects and identity providers. */
export const operationErrors = {
  400: {
    meaning: "The name of the macro is not allowed. The server checks the name before it looks for the macro.",
    causes: [
      "The name has other characters than letters, digits and `_`, begins with a digit, or has more than 128 characters.",
      "The client sends the file name of the macro, with its extension.",
    ],
    actions: ["Send the name only, such as `/v1/execute/TransferInvoice`."],
  },
  401: {
    meaning: "The caller has no access to the macro.",
    causes: [
      "No user group of the caller and no app name of the session is in `access` of the macro.",
      "The execution checker of the macro refused the input.",
    ],
    actions: [
      "Log in with an app name that has access, or ask an administrator for the user group.",
      "Read `access` and `check` of the macro. See [Access and the checker](../../guides/macros.md#access-and-the-checker).",
    ],
  },
  402: {
    meaning: "The caller has access to the macro, but no right to skip its execution checker.",
    causes: ["The request has `skipChecker=true`, and `access.skipCheck` of the macro does not list the caller."],
    actions: ["Remove `skipChecker`, or add a group or an app name of the caller to `access.skipCheck`."],
  },
  403: {
    meaning: "A rule forbids an app name of the log-in or the reservation for this user, device or group.",
    causes: [
      "The most specific rule about the app name forbids it: of the user on the device, the user, the device, a group, or everyone.",
      "A rule forbids the app name for everyone, and no rule allows it for this user.",
    ],
    actions: [
      "Log in without the app name.",
      'An administrator lists the rules with "app rules" and changes them. See [Devices, bans and app rules](../../guides/devices.md#allow-and-forbid-app-names).',
    ],
  },
  404: {
    meaning:
      "The caller can read the object or the class, but has no right for this operation. An object that the caller cannot read returns [304](304.md).",
    causes: [
      "The class grants the groups of the caller no right to create, write or delete.",
      "The object is a user or a user group. Only administrators change names, groups and readers, and delete users.",
      "The route is for administrators: it changes classes, or empties the recycle bin of all users.",
    ],
    actions: [
      "Ask an administrator for the right, or log in as an administrator.",
      "An administrator changes the rights of a class as described in [Define classes](../../guides/classes.md).",
    ],
  },
  500: {
    meaning: "The upload has no file part.",
    causes: ["The multipart body has fields only, or no parts at all.", "The part has no `filename`."],
    actions: ["Send exactly one part with a file name."],
  },
  501: {
    meaning: "The uploaded file has no bytes.",
    causes: ["The file is empty, or the client did not read it before it sent the part."],
    actions: ["Send a file with at least one byte."],
  },
  502: {
    meaning: "The name or the extension of the file is not allowed.",
    causes: [
      "The name has a separator (`/`, `\\`), or the `:` of a drive or stream.",
      "The name has a control character, a line separator, or a character that changes the direction of text.",
      "The name is blank, or ends with a blank or a dot.",
      "The name is that of a device of Windows, such as `CON` or `LPT1.pdf`.",
      "The name is not UTF-8, or has more than 255 bytes.",
      "The extension is on the list of refused extensions, or not on that of accepted ones.",
    ],
    actions: ["Send the file under another name, without a path."],
  },
  503: {
    meaning: "The upload has more than one file. One request uploads one file.",
    causes: ["The multipart body has several file parts."],
    actions: ["Send one request for each file."],
  },
  600: {
    meaning: "The byte range is not acceptable.",
    causes: [
      "`Content-Range` of a chunk is malformed, or beyond the total size.",
      "The chunk overlaps with other bytes than those that the server holds.",
      "The upload is finished while a range is missing.",
      "`Range` of a download is beyond the end of the file.",
    ],
    actions: ["Read the state of the upload, and send the missing ranges."],
  },
  601: {
    meaning: "The path has no upload id.",
    causes: ["The client sends a chunk to `/v1/uploadFile` instead of `/v1/uploadFile/{uploadId}`."],
    actions: ["Request an upload id with `GET /v1/uploadFile`, and put it into the path."],
  },
  602: {
    meaning: "The upload id is not a UUID.",
    causes: ["The id is cut off or has other characters."],
    actions: ["Send the `data.uploadId` of `GET /v1/uploadFile` unchanged."],
  },
  603: {
    meaning: "The server has no upload with this id for the caller.",
    causes: ["The upload expired, was finished or was cancelled.", "The upload belongs to another user."],
    actions: ["Request a new upload id, and upload the file again."],
  },
  604: {
    meaning: "The request needs bytes of a file and has none.",
    causes: ["A chunk has a `Content-Range` and no bytes.", "An upload is finished before any bytes arrived."],
    actions: ["Send the chunks first. Then finish the upload with a `PATCH` without a body."],
  },
  605: {
    meaning: "The upload is in use, so the server cannot cancel it.",
    causes: ["Another request writes or finishes the same upload."],
    actions: ["Wait until the other request ends, and cancel again."],
  },
  606: {
    meaning: "Another request writes to the same upload. One upload has one writer at a time.",
    causes: ["The client sends chunks in parallel.", "An earlier request was broken off and has not ended yet."],
    actions: ["Send one chunk after the other. Wait a moment, and retry."],
  },
  607: {
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
  608: {
    meaning: "The settings of the identity provider are incomplete, or the provider refuses them.",
    causes: [
      "A member of the additional data is missing or malformed.",
      "The provider does not accept the client id or the secret. A secret at Microsoft expires.",
      "Apple: the server cannot read the key file of `keyPath`, or other users can read it.",
      "The data were encrypted with another master key.",
    ],
    actions: [
      "Run `sallyport-server provider test` and read its output.",
      "Register the provider again. See [Identity providers](../../guides/identity-providers.md#what-to-enter-at-the-providers).",
    ],
  },
  609: {
    meaning: "The object existed and is deleted. Ids and UUIDs are never used again.",
    causes: [
      "Another client deleted the object, or a deletion rule deleted it with another object.",
      "The object is in the recycle bin.",
      "`restore`: the object was deleted permanently.",
    ],
    actions: [
      "Remove the object from the state of the client. For a deletion, 609 means that the work is done.",
      "If the object is in the recycle bin, restore it with `POST /v1/object/{id}/restore`.",
    ],
  },
  610: {
    meaning: "The request changes or locks an object that is deleted.",
    causes: ["Another client deleted the object.", "The object is in the recycle bin."],
    actions: [
      "Discard the change, or restore the object first. See [Delete and restore](../../guides/objects.md#delete-and-restore).",
    ],
  },
  611: {
    meaning: "The database has no synchronization schema.",
    causes: ["An administrator has not set up synchronization."],
    actions: [
      "Store a schema with `sallyport sync put`. See [Synchronize devices](../../guides/synchronisation.md#set-up-a-schema).",
    ],
  },
  698: {
    meaning: "The identity provider is not available in this database.",
    causes: [
      "The name in the path is unknown. The names are `google`, `facebook`, `microsoft` and `apple`.",
      "`oAuthProviders` of the configuration does not enable the provider.",
      "The provider is not registered in this database.",
    ],
    actions: [
      "Check the name with `sallyport-server provider list`.",
      "Enable the provider and register it. See [Identity providers](../../guides/identity-providers.md#enable-providers).",
    ],
  },
  699: {
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
} satisfies Partial<ErrorTexts>;

import type { ErrorTexts } from "./error-text.ts";

/** Texts of the codes about the server, its database, and its limits. */
export const serverErrors = {
  700: {
    meaning: "The server cannot create the folder for uploads.",
    causes: ["The configured path is invalid.", "The server has no right to write there."],
    actions: ["An operator corrects the path and its permissions."],
  },
  702: {
    meaning: "The server cannot store the file.",
    causes: ["The folder or the bucket is gone.", "The disk is full, or the object storage refuses the file."],
    actions: ["Retry later.", "An operator checks the file store and the log of the server."],
  },
  703: {
    meaning: "The log-out failed. The session is unchanged and still live.",
    causes: ["The database failed, refused the write, or became unreachable during the log-out."],
    actions: [
      "Send the log-out again. Otherwise the session ends by its time-out.",
      "An operator looks up the cause in the log by `X-Request-Id`.",
    ],
  },
  704: {
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
  707: {
    meaning: "The object of the file exists, but the bytes of the file are gone.",
    causes: ["The folder or the bucket was changed outside the server.", "A backup was restored without its files."],
    actions: ["An operator restores the files from a backup."],
  },
  708: {
    meaning: "The server cannot encrypt or decrypt the stored file.",
    causes: [
      "The master key is missing, or neither it nor a former one is the one under which the file was stored.",
      "The stored bytes were changed, exchanged, cut or extended outside the server.",
    ],
    actions: [
      "An operator finds the file and the segment in the log, and sets the right master key or restores the file from a backup. See [Encryption at rest](../../guides/files.md#encryption-at-rest).",
    ],
  },
  709: {
    meaning: "The folder for uploads does not exist.",
    causes: ["The folder was removed, or its file system is not mounted."],
    actions: ["An operator restores the folder. Clients then upload the file again."],
  },
  710: {
    meaning: "A macro or a hook failed. The server rolls back its writes.",
    causes: [
      "The macro does not exist, cannot be loaded, or is a hook.",
      "The code throws an error, waits for a promise that never settles, or returns something that is not JSON.",
      "The execution exceeds a limit: time, CPU time, memory, calls, or the size of the result.",
      "A hook returns an invalid result, or requests something that the caller is not allowed to do.",
    ],
    actions: [
      "Look up the request id (`X-Request-Id`) in the log. It has the message, the file and the line.",
      "Run the macro on its own with `sallyport-server macro run`. See [Write macros](../../guides/macros.md#what-goes-wrong-and-how-to-see-it).",
    ],
  },
  711: {
    meaning:
      "The licence server has not accepted the message about a change of seats, which is required. The server undoes the change.",
    causes: [
      "The licence server cannot be reached, or does not answer within 5 seconds.",
      "It answers with a status other than 2xx, for example because it has another secret.",
      "An atomic multi request reserves or releases seats.",
    ],
    actions: [
      "Retry later. Users can log out meanwhile.",
      "An operator finds the reason in the log by the request id (`X-Request-Id`). See [Report seats to a licence server](../../guides/licences.md#report-seats-to-a-licence-server).",
    ],
  },
  712: {
    meaning: "The server cannot send the mail that the request needs. The response is the same for all users.",
    causes: [
      "Mail is not configured, or the master key is missing.",
      "The mail server has not accepted mail for longer than 15 minutes.",
      "A custom user has no e-mail address.",
      "A hook authenticates the custom users, so the server cannot reset their passwords.",
    ],
    actions: [
      "An operator runs `sallyport-server mail test`. See [Send mail](../../guides/mail.md).",
      "Give the custom user an address with `sallyport-server custom-user set-email`.",
    ],
  },
  713: {
    meaning: "The server did not change the object.",
    causes: [
      "`If-Match` names another version than the current one: another client changed the object or the classes.",
      "Another session has locked the object.",
      "Two administrators change the same thing at once, or one took the access of the other meanwhile.",
      "The database refuses the write: its disk is full, it has no memory, it reports an I/O error, a right is missing, or a trigger raises an error.",
    ],
    actions: [
      "Read the object again, apply the change to the new state, and repeat the request with the new `ETag`.",
      "`GET /v1/lock/object/{id}` shows the lock. It ends with its session. See [Lock](../../guides/objects.md#lock).",
      "If the database refuses the write, an operator finds the reason in the log by `X-Request-Id`. See [A database that refuses writes](../../guides/operate.md#a-database-that-refuses-writes).",
    ],
  },
  714: {
    meaning: "The server cannot record the change for synchronization. It rolls back the change.",
    causes: ["The database failed, or refused the write, while the server stored the result of an operation."],
    actions: [
      "Repeat the request, and an operation of a push with the same id: it has no effect twice.",
      "The log has the cause under the request id.",
    ],
  },
  716: {
    meaning: "The server cannot read the changes of a synchronization schema.",
    causes: [
      "The database failed while the server read changes.",
      "The filter of the schema does not fit the classes any more, because an attribute was removed or has another type.",
      "The storage of the database is not set up completely.",
    ],
    actions: [
      "Try again later. The device continues at its version.",
      "Correct the filter with `sallyport sync put`. `sallyport sync why` names it as the cause.",
      "The log has the cause under the request id.",
    ],
  },
  717: {
    meaning: "Synchronization is disabled for this database.",
    causes: ["An administrator has turned synchronization off, with `sallyport sync disable`."],
    actions: ["Keep the edits on the device, and try again later.", "Turn it on again with `sallyport sync enable`."],
  },
  718: {
    meaning: "The server cannot delete the object. Nothing is deleted.",
    causes: [
      "A reference with `onDelete: refuse` leads to the object. This is the default rule of mandatory references.",
      "Another session has locked the object, or an object that changes with it.",
      "The deletion affects more than 10,000 objects or references, or more than 64 MiB.",
      "The recycle bin of the user is full.",
      "The object is the caller's own user, the last administrator, or a group with rights on a class.",
      "A live object needs the object of the recycle bin that the request removes.",
      "The database refuses the write: its disk is full, it has no memory, it reports an I/O error, a right is missing, or a trigger raises an error.",
    ],
    actions: [
      "Delete or change the referring objects first. See [References to a deleted object](../../guides/objects.md#references-to-a-deleted-object).",
      "With `DEBUG_MESSAGES=true`, `debugMessage` names the reason.",
      "Empty the recycle bin with `DELETE /v1/recycler`, or delete without `moveToRecycler=true`.",
      "If the database refuses the write, an operator finds the reason in the log by `X-Request-Id`. See [A database that refuses writes](../../guides/operate.md#a-database-that-refuses-writes).",
    ],
  },
  719: {
    meaning: "The server cannot remove the object from the synchronization. It rolls back the deletion.",
    causes: ["The database failed, or refused the write, while the server stored the result of a deletion."],
    actions: [
      "Repeat the request, and an operation of a push with the same id: it has no effect twice.",
      "The log has the cause under the request id.",
    ],
  },
  720: {
    meaning: "The server cannot record the deletion for synchronization. It rolls back the deletion.",
    causes: [
      "The database failed, or refused the write, while the server stored who deleted the object, and on which device.",
    ],
    actions: [
      "Repeat the request, and an operation of a push with the same id: it has no effect twice.",
      "The log has the cause under the request id.",
    ],
  },
  721: {
    meaning: "The server cannot read the list of synchronization schemas.",
    causes: ["The database failed while the server read its schemas."],
    actions: ["Try again later.", "The log has the cause under the request id."],
  },
  799: {
    meaning: "The server failed in an unexpected way. The response reveals no details.",
    causes: [
      "A defect of the server, of a storage adapter or of a macro runtime. A database that refuses a call is no cause: it has codes of its own.",
    ],
    actions: [
      "An operator finds the error and its cause in the log by `X-Request-Id`.",
      "Report the defect with the version of the server and the log line, without secrets.",
    ],
  },
  800: {
    meaning:
      "The client sends more requests than a rate of the database allows: from its address, with its app key, or in its session.",
    causes: [
      "The client sends requests in a loop, or retries without a delay.",
      "Many clients share the app key or the address.",
      "The items of a multi request and the operations of a push count as requests.",
      "The user has sent 1,000 idempotency keys within 24 hours.",
    ],
    actions: [
      "Retry after `Retry-After`, and send fewer requests.",
      "An operator finds the exceeded rate in the metrics and raises it. See [Limits](../../guides/limits.md).",
    ],
  },
  801: {
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
} satisfies Partial<ErrorTexts>;

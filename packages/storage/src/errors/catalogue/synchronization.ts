import type { Entries } from "./entry.ts";

/** Codes of synchronization. */
export const synchronization = {
  330: {
    status: 400,
    name: "Invalid version of synchronization",
    condition: "`syncVersion` is unreadable, too old, in the future or of another database.",
    meaning:
      "The server cannot return the changes since this `syncVersion`. The header `Sync-Restart: 1` asks the client to begin again.",
    causes: [
      "The database, the schema, or groups or rights of the user have changed since this version, or the `query` is another one.",
      "The device was away longer than the database keeps tombstones (`sync.tombstones`).",
      "The database was restored, or the version is of another database.",
      "Without the header: `syncVersion` is a number, or no integer as text.",
    ],
    actions: [
      "With `Sync-Restart: 1`, pull from version `0` and keep the edits that were not pushed. See [Synchronize devices](../../guides/synchronisation.md#start-over).",
      'Without the header, correct the client: `syncVersion` is a text, such as `"0"`.',
      "`sallyport sync why` tells an administrator which part has changed.",
    ],
  },
  332: {
    status: 400,
    name: "Invalid synchronization request",
    condition: "The synchronisation request is malformed or stale.",
    meaning: "The body of a synchronization request is not acceptable.",
    causes: [
      "A member of the body is missing, unknown or out of range: `limit`, `cursor`, `wait`, `ops`, `fields`, `base`.",
      "A push has more than 1,000 changes, or an id or UUID twice.",
      "The id of the change was used for another change.",
      "A field is not in the schema, or the user cannot read or write it.",
      "The direction of the schema does not allow the call.",
      "The policy of the schema is `reject`, and the server has changed the field, too. The result of a change in a push then has `conflicts` and `object`. After another call, pull the object.",
      "The `cursor` is of another schema, user, version or query.",
    ],
    actions: [
      "After a conflict, show the user both values, and push the decision as a new change with the new version.",
      "Without the last `cursor`, repeat the pull from the version of the device.",
      "With `DEBUG_MESSAGES=true`, `debugMessage` names the place. See [Synchronize devices](../../guides/synchronisation.md#the-calls).",
    ],
  },
  333: {
    status: 400,
    name: "Schema name is invalid",
    condition: "The synchronisation schema is unknown or its name is invalid.",
    meaning: "The synchronization schema does not exist.",
    causes: [
      "The name in the path or in `schemaName` is misspelled.",
      "An administrator has removed the schema.",
      "A new schema has an invalid name: it begins with a letter and has up to 64 letters, digits, `_` and `-`.",
    ],
    actions: ["`GET /v1/sync` lists the schemas of the user, and `sallyport sync list` all schemas."],
  },
  334: {
    status: 400,
    name: "Object UUID does not exist in sync DB",
    condition: "The UUID is neither live nor deleted in this schema.",
    meaning: "The synchronization schema has no object with this UUID, neither live nor deleted.",
    causes: [
      "The object never existed, or its deletion is older than the database keeps tombstones.",
      "The object is of another class, or outside the filter of the schema.",
      "The user cannot read the object.",
    ],
    actions: [
      "Remove the object from the device. To create it, push it with version `0` and its class.",
      "`sallyport sync why` tells an administrator which of the causes it is. See [Synchronize devices](../../guides/synchronisation.md#why-is-an-object-not-on-a-device).",
    ],
  },
  335: {
    status: 400,
    name: "Schema name is missing",
    condition: "No synchronisation schema is named.",
    meaning: "The synchronization request names no schema.",
    causes: ["`POST /v1/sync` has no `schemaName` in its body."],
    actions: ["Send `schemaName`, or put the name into the path: `POST /v1/sync/{schema}`."],
  },
  336: {
    status: 400,
    name: "Object UUID in parameter and body are not equal",
    condition: "Path and body name different objects.",
    meaning: "The path and the body name different objects.",
    causes: ["`uuid` in the body is another one than in the path."],
    actions: ["Send the UUID in the path only."],
  },
  338: {
    status: 400,
    name: "Sync version is missing",
    condition: "`syncVersion` is absent.",
    meaning: "The synchronization request has no version.",
    causes: ["The body has no `syncVersion`."],
    actions: [
      'Send the version of the device, or `"0"` if it has nothing. For one object, send its `~Version` as text.',
    ],
  },
  611: {
    status: 400,
    name: "No synchronization registered",
    condition: "The database has no synchronisation schema.",
    meaning: "The database has no synchronization schema.",
    causes: ["An administrator has not set up synchronization."],
    actions: [
      "Store a schema with `sallyport sync put`. See [Synchronize devices](../../guides/synchronisation.md#set-up-a-schema).",
    ],
  },
  714: {
    status: 500,
    name: "Unable to update object in the synchronization database",
    condition: "The synchronisation index refused the update.",
    meaning: "The server cannot record the change for synchronization. It rolls back the change.",
    causes: ["The database failed, or refused the write, while the server stored the result of a change."],
    actions: [
      "Repeat the request, and a change of a push with the same id: it has no effect twice.",
      "The log has the cause under the request id.",
    ],
  },
  716: {
    status: 500,
    name: "Unable to query sync changes",
    condition: "The change query failed, or the schema's storage is missing.",
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
    status: 500,
    name: "Synchronization service is disabled",
    condition: "Synchronisation is disabled.",
    meaning: "Synchronization is disabled for this database.",
    causes: ["An administrator has turned synchronization off, with `sallyport sync disable`."],
    actions: ["Keep the edits on the device, and try again later.", "Turn it on again with `sallyport sync enable`."],
  },
  719: {
    status: 500,
    name: "Unable to delete object in the synchronization database",
    condition: "The synchronisation index refused the delete.",
    meaning: "The server cannot remove the object from the synchronization. It rolls back the deletion.",
    causes: ["The database failed, or refused the write, while the server stored the result of a deletion."],
    actions: [
      "Repeat the request, and a change of a push with the same id: it has no effect twice.",
      "The log has the cause under the request id.",
    ],
  },
  720: {
    status: 500,
    name: "Unable to insert object into the synchronization database deleted elements",
    condition: "The deleted element could not be recorded.",
    meaning: "The server cannot record the deletion for synchronization. It rolls back the deletion.",
    causes: [
      "The database failed, or refused the write, while the server stored who deleted the object, and on which device.",
    ],
    actions: [
      "Repeat the request, and a change of a push with the same id: it has no effect twice.",
      "The log has the cause under the request id.",
    ],
  },
  721: {
    status: 500,
    name: "Unable to query sync schemas",
    condition: "The list of synchronisation schemas cannot be read.",
    meaning: "The server cannot read the list of synchronization schemas.",
    causes: ["The database failed while the server read its schemas."],
    actions: ["Try again later.", "The log has the cause under the request id."],
  },
} satisfies Entries;

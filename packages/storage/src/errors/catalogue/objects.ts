import type { Entries } from "./entry.ts";

/** Codes of objects and macros. */
export const objects = {
  400: {
    status: 400,
    name: "Macro name is invalid",
    condition: "The macro name in the path is malformed.",
    meaning: "The name of the macro is not allowed. The server checks the name before it looks for the macro.",
    causes: [
      "The name has other characters than letters, digits and `_`, begins with a digit, or has more than 128 characters.",
      "The client sends the file name of the macro, with its extension.",
    ],
    actions: ["Send the name only, such as `/v1/execute/TransferInvoice`."],
  },
  401: {
    status: 403,
    name: "Macro is inaccessible",
    condition: "The caller's groups or app names have no access to the macro.",
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
    status: 403,
    name: "Macro is inaccessible - cannot skip checker",
    condition: "The caller has no right to skip the execution checker.",
    meaning: "The caller has access to the macro, but no right to skip its execution checker.",
    causes: ["The request has `skipChecker=true`, and `access.skipCheck` of the macro does not list the caller."],
    actions: ["Remove `skipChecker`, or add a group or an app name of the caller to `access.skipCheck`."],
  },
  404: {
    status: 403,
    name: "No write access to the object",
    condition: "The caller can read the object but not write it, or the rights of the administrator do not suffice.",
    meaning:
      "The caller can read the object or the class, but has no right for this operation. An object that the caller cannot read returns [304](304.md).",
    causes: [
      "The class grants the groups of the caller no right to create, write or delete.",
      "The object is a user or a user group. Only administrators change names, groups and readers, and delete users.",
      "The route is for administrators: it changes classes, or empties the recycle bin of all users.",
      "The route is below `/admin/`, and the rights of the administrator are `view` or `audit`.",
    ],
    actions: [
      "Ask an administrator for the right, or log in as an administrator.",
      "An administrator changes the rights of a class as described in [Define classes](../../guides/classes.md).",
      "An administrator with all rights changes those of another one. See [Rights of administrators](../../guides/administration.md#rights-of-administrators).",
    ],
  },
  609: {
    status: 410,
    name: "Object already deleted",
    condition: "The object existed and was deleted.",
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
    status: 400,
    name: "Unable to update - object has been deleted",
    condition: "A deleted object cannot be changed.",
    meaning: "The request changes or locks an object that is deleted.",
    causes: ["Another client deleted the object.", "The object is in the recycle bin."],
    actions: [
      "Discard the change, or restore the object first. See [Delete and restore](../../guides/objects.md#delete-and-restore).",
    ],
  },
  710: {
    status: 500,
    name: "Unable to execute macro",
    condition: "The macro is unknown, failed or exceeded a limit.",
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
  713: {
    status: 500,
    name: "Unable to update object in the database",
    condition: "The object is locked, its version is not the expected one, or the database refuses the write.",
    meaning: "The server did not change the object.",
    causes: [
      "`If-Match` names another version than the current one: another client changed the object or the classes.",
      "Another session has locked the object.",
      "Two administrators change the same thing at once, or one has just taken the access of the other.",
      "The database refuses the write: its disk is full, it has no memory, it reports an I/O error, a right is missing, or a trigger raises an error.",
    ],
    actions: [
      "Read the object again, apply the change to the new state, and repeat the request with the new `ETag`.",
      "`GET /v1/lock/object/{id}` shows the lock. It ends with its session. See [Lock](../../guides/objects.md#lock).",
      "If the database refuses the write, an operator finds the reason in the log by `X-Request-Id`. See [A database that refuses writes](../../guides/operate.md#a-database-that-refuses-writes).",
    ],
  },
  718: {
    status: 500,
    name: "Unable to delete object in the database",
    condition: "The main store refused to delete the object.",
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
} satisfies Entries;

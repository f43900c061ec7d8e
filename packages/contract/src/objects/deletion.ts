import * as z from "zod";
import { deleteParameters, objectParameters, purgeParameters, trashParameters } from "./object-parameters.ts";
import { objectListSchema, objectSchema, writtenObjectSchema } from "./objects.ts";
import { operations } from "../operations.ts";

const { "~ClassName": className, "~ObjectID": objectId } = objectSchema.shape;

/** A page of the recycle bin. */
export const trashSchema = z
  .object({
    "~Cursor": objectListSchema.shape["~Cursor"],
    "~Elements": z.array(
      z
        .strictObject({
          "~ClassName": className,
          "~ObjectID": objectId,
          "~StoreTime": z.string().describe("Time of the deletion, `yyyyMMddTHHmmss+hh:mm`."),
          "~UUID": z.string().describe("UUID of the object, in lowercase."),
          "~DeletedBy": z.string().nullable().describe("Id of the user who deleted it. `null` if unknown."),
        })
        .meta({ id: "RecycledObject" }),
    ),
  })
  .meta({ id: "Recycler" });

/** A page of the recycle bin. */
export type TrashData = z.infer<typeof trashSchema>;

/** Number of objects that a request purged. */
export const purgeResponse = z
  .object({ "~Count": z.number().int().min(0).describe("Number of permanently deleted objects.") })
  .meta({ id: "PurgeCount" });

/** Deletion, restore and the recycle bin. */
export const deletionOperations = operations("Objects", {
  deleteObject: {
    method: "DELETE",
    path: "/v1/object/{idOrClass}",
    access: "session",
    summary: "Delete an object",
    description: "Deletes the object permanently, or moves it to the recycle bin with `moveToRecycler=true`.",
    query: deleteParameters,
    conditional: true,
    errors: [304, 307, 404, 609, 710, 713, 718],
  },
  restoreObject: {
    method: "POST",
    path: "/v1/object/{idOrClass}/restore",
    access: "session",
    summary: "Restore an object",
    description: "Restores the object from the recycle bin, with all objects of the same deletion.",
    query: objectParameters,
    data: writtenObjectSchema,
    versioned: true,
    errors: [304, 307, 308, 404, 609, 710, 713],
  },
  listRecycler: {
    method: "GET",
    path: "/v1/recycler",
    access: "session",
    summary: "List the recycle bin",
    description:
      "Lists the objects that the caller moved to the recycle bin, latest first. Administrators see the objects of all users.",
    query: trashParameters,
    data: trashSchema,
    compressed: true,
    errors: [307],
  },
  purgeObject: {
    method: "DELETE",
    path: "/v1/recycler/{id}",
    access: "session",
    summary: "Purge an object",
    description: "Permanently deletes the object from the recycle bin, with all objects of the same deletion.",
    data: purgeResponse,
    errors: [304, 307, 404, 609, 718],
  },
  purgeRecycler: {
    method: "DELETE",
    path: "/v1/recycler",
    access: "session",
    summary: "Purge the recycle bin",
    description:
      "Permanently deletes the objects that the caller moved to the recycle bin, at most 1,000 deletions per request. Repeat the request until `~Count` is 0. Objects that other objects require are kept.",
    query: purgeParameters,
    data: purgeResponse,
    errors: [307, 404, 718],
  },
});

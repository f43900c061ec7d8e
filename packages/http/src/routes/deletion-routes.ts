import {
  deleteParameters,
  emptyResponse,
  objectParameters,
  purgeParameters,
  purgeResponse,
  trashParameters,
  trashSchema,
} from "@sallyport/contract";
import { defineRoute, type Route } from "./route.ts";
import { singleReference, objectSuccess, writtenObjectSchema } from "./object-routes.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of deletion, restore and the recycle bin. */
export function deletionRoutes({ deleteObject, listRecycled, purgeRecycled, restoreObject }: UseCases): Route[] {
  return [
    defineRoute({
      method: "DELETE",
      path: "/v1/object/{idOrClass}",
      operation: "deleteObject",
      summary: "Delete an object",
      description: "Deletes the object permanently, or moves it to the recycle bin with `moveToRecycler=true`.",
      access: "session",
      query: deleteParameters,
      data: emptyResponse,
      conditional: true,
      errors: [304, 307, 404, 609, 710, 713, 718],
      handle: async (context, { parameter, query, expectedVersions }) => {
        await deleteObject.deleteObject(context, singleReference(parameter("idOrClass")), {
          recycled: query.moveToRecycler,
          expectedVersions,
        });
        return { data: {} };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/v1/object/{idOrClass}/restore",
      operation: "restoreObject",
      summary: "Restore an object",
      description: "Restores the object from the recycle bin, with all objects of the same deletion.",
      access: "session",
      query: objectParameters,
      data: writtenObjectSchema,
      versioned: true,
      errors: [304, 307, 308, 404, 609, 710, 713],
      handle: async (context, { parameter, query }) =>
        objectSuccess(
          await restoreObject.restoreObject(context, singleReference(parameter("idOrClass")), query.serialization),
        ),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/recycler",
      operation: "listRecycler",
      summary: "List the recycle bin",
      description:
        "Lists the objects that the caller moved to the recycle bin, latest first. Administrators see the objects of all users.",
      access: "session",
      compressed: true,
      query: trashParameters,
      data: trashSchema,
      errors: [307],
      handle: async (context, { query: { perPage, cursor } }) => {
        const { elements, next } = await listRecycled.listRecycled(context, { perPage, cursor });
        return { data: { ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
      },
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/recycler/{id}",
      operation: "purgeObject",
      summary: "Purge an object",
      description: "Permanently deletes the object from the recycle bin, with all objects of the same deletion.",
      access: "session",
      data: purgeResponse,
      errors: [304, 307, 404, 609, 718],
      handle: async (context, { parameter }) => ({
        data: { "~Count": await purgeRecycled.purgeRecycled(context, singleReference(parameter("id"))) },
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/v1/recycler",
      operation: "purgeRecycler",
      summary: "Purge the recycle bin",
      description:
        "Permanently deletes the objects that the caller moved to the recycle bin, at most 1,000 deletions per request. Repeat the request until `~Count` is 0. Objects that other objects require are kept.",
      access: "session",
      query: purgeParameters,
      data: purgeResponse,
      errors: [307, 404, 718],
      handle: async (context, { query: { all } }) => ({
        data: { "~Count": await purgeRecycled.purgeAllRecycled(context, { allUsers: all }) },
      }),
    }),
  ];
}

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
import { singleReference, whole, written } from "./object-routes.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes of deletion, restore and the recycle bin. */
export function deletionRoutes({ deleteObject, listRecycled, purgeRecycled, restoreObject }: UseCases): Route[] {
  return [
    defineRoute({
      method: "DELETE",
      path: "/v1/object/{idOrClass}",
      operation: "deleteObject",
      summary: "Deletes an object, for good or into the recycler.",
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
      summary: "Brings a recycled object back, and what was recycled with it.",
      access: "session",
      query: objectParameters,
      data: written,
      versioned: true,
      errors: [304, 307, 308, 404, 609, 710],
      handle: async (context, { parameter, query }) =>
        whole(await restoreObject.restoreObject(context, singleReference(parameter("idOrClass")), query.serialization)),
    }),
    defineRoute({
      method: "GET",
      path: "/v1/recycler",
      operation: "listRecycler",
      summary:
        "Lists the recycle bin, the newest first: what the caller has recycled; administrators see what all users have.",
      access: "session",
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
      summary: "Deletes an object of the recycle bin for good, and what was recycled with it.",
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
      summary: "Deletes for good what the caller has recycled.",
      description:
        "At most 1,000 objects in one request, with what was recycled with them: repeat it until `~Count` is 0. What cannot be purged, since something needs it, stays.",
      access: "session",
      query: purgeParameters,
      data: purgeResponse,
      errors: [307, 404],
      handle: async (context, { query: { all } }) => ({
        data: { "~Count": await purgeRecycled.purgeAllRecycled(context, { allUsers: all }) },
      }),
    }),
  ];
}

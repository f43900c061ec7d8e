import type { deletionOperations } from "@sallyport/contract";
import { objectSuccess, singleReference } from "./object-handlers.ts";
import type { Handlers } from "../route.ts";
import { deleteObject, restoreObject, listRecycled, purgeRecycled, purgeAllRecycled } from "@sallyport/core";

/** Deletion, restore and the recycle bin. */
export const deletionHandlers: Handlers<typeof deletionOperations> = {
  deleteObject: (context, { parameter, query, expectedVersions }) =>
    deleteObject(context, singleReference(parameter("idOrClass")), {
      recycled: query.moveToRecycler,
      expectedVersions,
    }),
  restoreObject: async (context, { parameter, query }) =>
    objectSuccess(await restoreObject(context, singleReference(parameter("idOrClass")), query.serialization)),
  listRecycler: async (context, { query: { perPage, cursor } }) => {
    const { elements, next } = await listRecycled(context, { perPage, cursor });
    return { data: { ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
  },
  purgeObject: async (context, { parameter }) => ({
    data: { "~Count": await purgeRecycled(context, singleReference(parameter("id"))) },
  }),
  purgeRecycler: async (context, { query: { all } }) => ({
    data: { "~Count": await purgeAllRecycled(context, { allUsers: all }) },
  }),
};

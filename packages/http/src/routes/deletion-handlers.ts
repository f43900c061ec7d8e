import type { deletionOperations } from "@sallyport/contract";
import { objectSuccess, singleReference } from "./object-handlers.ts";
import type { Handlers } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Deletion, restore and the recycle bin. */
export const deletionHandlers = ({
  deleteObject,
  listRecycled,
  purgeRecycled,
  restoreObject,
}: UseCases): Handlers<typeof deletionOperations> => ({
  deleteObject: (context, { parameter, query, expectedVersions }) =>
    deleteObject.deleteObject(context, singleReference(parameter("idOrClass")), {
      recycled: query.moveToRecycler,
      expectedVersions,
    }),
  restoreObject: async (context, { parameter, query }) =>
    objectSuccess(
      await restoreObject.restoreObject(context, singleReference(parameter("idOrClass")), query.serialization),
    ),
  listRecycler: async (context, { query: { perPage, cursor } }) => {
    const { elements, next } = await listRecycled.listRecycled(context, { perPage, cursor });
    return { data: { ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
  },
  purgeObject: async (context, { parameter }) => ({
    data: { "~Count": await purgeRecycled.purgeRecycled(context, singleReference(parameter("id"))) },
  }),
  purgeRecycler: async (context, { query: { all } }) => ({
    data: { "~Count": await purgeRecycled.purgeAllRecycled(context, { allUsers: all }) },
  }),
});

import { bareObjectSchema, deleteParameters, emptyResponse, objectParameters, objectSchema } from "@sallyport/contract";
import { z } from "zod";
import { defineRoute, type Route } from "./route.ts";
import { singleReference } from "./single-reference.ts";
import type { UseCases } from "./use-cases.ts";

/** How business objects go and come back. */
export function departureRoutes({ deleteObject, restoreObject }: Pick<UseCases, "deleteObject" | "restoreObject">): Route[] {
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
        await deleteObject.run(context, singleReference(parameter("idOrClass")), { recycled: query.moveToRecycler, expectedVersions });
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
      data: z.union([objectSchema, bareObjectSchema]),
      versioned: true,
      errors: [304, 307, 308, 404, 609, 710],
      handle: async (context, { parameter, query }) => {
        const { object, version } = await restoreObject.run(context, singleReference(parameter("idOrClass")), query.serialization);
        return { data: object, version };
      },
    }),
  ];
}

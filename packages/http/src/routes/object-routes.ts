import {
  bareObjectSchema,
  listParameters,
  objectListSchema,
  objectParameters,
  objectSchema,
} from "@sallyport/contract";
import { objectReference, ServiceError, type SessionContext } from "@sallyport/core";
import { z } from "zod";
import { defineRoute, type Route, type Success } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

type ListQuery = z.output<typeof listParameters>;

/** Reading business objects. */
export function objectRoutes({ getObject, listObjects }: Pick<UseCases, "getObject" | "listObjects">): Route[] {
  const list = async (context: SessionContext, className: string, query: ListQuery): Promise<Success> => {
    const { page, perPage, query: asked, count, serialization } = query;
    const input = {
      className,
      query: asked,
      page,
      perPage,
      cursor: query.cursor,
      capped: count === "capped",
      serialization,
    };
    const {
      list: { "~Elements": elements, ...counts },
      next,
    } = await listObjects.run(context, input);
    return { data: { ...counts, ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
  };
  return [
    defineRoute({
      method: "GET",
      path: "/v1/object/{idOrClass}",
      operation: "getObject",
      summary: "Reads one object by its id or UUID; with the name of a class it lists the class.",
      access: "session",
      query: objectParameters.extend(listParameters.shape),
      data: z.union([objectSchema, bareObjectSchema, objectListSchema]),
      versioned: true,
      errors: [304, 307, 308, 329, 609, 710],
      handle: async (context, { parameter, query }) => {
        const reference = objectReference(parameter("idOrClass"));
        if (reference === null) throw new ServiceError(304);
        if (reference.kind === "class") return list(context, reference.className, query);
        const { object, version } = await getObject.run(context, reference, query.serialization);
        return { data: object, version };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/objects/{className}",
      operation: "listObjects",
      summary: "Lists the objects of a class, page by page.",
      access: "session",
      query: listParameters,
      data: objectListSchema,
      errors: [304, 307, 308, 329, 710],
      handle: async (context, { parameter, query }) => {
        const reference = objectReference(parameter("className"));
        if (reference?.kind !== "class") throw new ServiceError(304);
        return list(context, reference.className, query);
      },
    }),
  ];
}

import {
  attributesRequest,
  bareObjectSchema,
  countResponse,
  listParameters,
  listRequest,
  objectListSchema,
  objectParameters,
  objectSchema,
  updateParameters,
} from "@sallyport/contract";
import { objectReference, ServiceError, type SingleReference } from "@sallyport/storage";
import { type GivenAttributes, type SessionContext } from "@sallyport/core";
import * as z from "zod";
import { checkListLimits, listForm, type ListRequest } from "../contract-forms.ts";
import { defineRoute, type Route, type RouteInput, type Success } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Routes that read objects. */
export function objectRoutes({ getObject, listObjects }: UseCases): Route[] {
  const list = async (
    context: SessionContext,
    className: string,
    members: ListRequest,
    { position }: Pick<RouteInput<never, never>, "position">,
  ): Promise<Success> => {
    const input = { className, ...listForm(members), position };
    const { list: found, next } = await listObjects.listObjects(context, input);
    const { "~Elements": elements, ...counts } = found;
    return { data: { ...counts, ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
  };
  return [
    defineRoute({
      method: "GET",
      path: "/v1/object/{idOrClass}",
      operation: "getObject",
      summary: "Get an object",
      description: "Returns the object with the id or UUID. With a class name, lists the objects of the class.",
      access: "session",
      compressed: true,
      query: objectParameters.extend(listParameters.shape),
      data: z.union([objectSchema, bareObjectSchema, objectListSchema]),
      versioned: true,
      errors: [304, 307, 308, 329, 609, 710],
      handle: async (context, input) => {
        const { parameter, query } = input;
        const reference = objectReference(parameter("idOrClass"));
        if (reference === null) throw new ServiceError(304);
        if (reference.kind === "class") return list(context, reference.className, query, input);
        return objectSuccess(await getObject.getObject(context, reference, query.serialization));
      },
    }),
    defineRoute({
      method: "GET",
      path: "/v1/objects/{className}",
      operation: "listObjects",
      summary: "List objects",
      description: "Returns one page of the objects of a class and its subclasses.",
      access: "session",
      compressed: true,
      query: listParameters,
      data: objectListSchema,
      errors: [304, 307, 308, 329, 710],
      handle: async (context, input) => list(context, classNameOf(input.parameter("className")), input.query, input),
    }),
    defineRoute({
      method: "POST",
      path: "/v1/objects/{className}/query",
      operation: "queryObjects",
      isRead: true,
      summary: "List objects by a query in the body",
      description:
        "Returns the same as `GET /v1/objects/{className}`. The body has the members of its query string as JSON, for queries that do not fit into an address.",
      access: "session",
      compressed: true,
      // A query string fails by its query first.
      body: { schema: listRequest, faultOrder: [329], checkLimits: checkListLimits },
      data: objectListSchema,
      errors: [304, 307, 329, 710],
      handle: async (context, input) => list(context, classNameOf(input.parameter("className")), input.body, input),
    }),
  ];
}

export const writtenObjectSchema = z.union([objectSchema, bareObjectSchema]);

/** Routes that create and update objects. */
export function writeRoutes({ createObject, updateObject, updateObjects }: UseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/object/{idOrClass}",
      operation: "createObject",
      idempotent: true,
      summary: "Create an object",
      description: "The path contains the name of the class.",
      access: "session",
      body: { schema: attributesRequest, faultOrder: [] },
      query: objectParameters,
      data: writtenObjectSchema,
      versioned: true,
      errors: [304, 307, 308, 404, 710, 713],
      handle: async (context, { parameter, body, query }) => {
        const className = classNameOf(parameter("idOrClass"));
        return objectSuccess(
          await createObject.createObject(context, className, body as GivenAttributes, query.serialization),
        );
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/object/{idOrClass}",
      operation: "updateObject",
      summary: "Update an object",
      description: "Sets the attributes in the body. Other attributes keep their values.",
      access: "session",
      body: { schema: attributesRequest, faultOrder: [] },
      query: objectParameters,
      data: writtenObjectSchema,
      versioned: true,
      conditional: true,
      errors: [304, 307, 308, 404, 502, 610, 710, 713],
      handle: async (context, { parameter, body, query, expectedVersions }) => {
        const input = { given: body as GivenAttributes, expectedVersions, serialization: query.serialization };
        return objectSuccess(await updateObject.updateObject(context, singleReference(parameter("idOrClass")), input));
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/objects/{className}",
      operation: "updateObjects",
      summary: "Update objects",
      description:
        "Sets the attributes in the body on all objects that match the query, at most 10,000, in one transaction.",
      access: "session",
      body: { schema: attributesRequest, faultOrder: [] },
      query: updateParameters,
      data: countResponse,
      conditional: true,
      errors: [304, 307, 308, 329, 404, 502, 710, 713],
      handle: async (context, { parameter, body, query, expectedVersions }) => {
        const { count } = await updateObjects.updateObjects(context, {
          className: classNameOf(parameter("className")),
          query: query.query,
          given: body as GivenAttributes,
          expectedVersions,
        });
        return { data: { "~Count": count } };
      },
    }),
  ];
}

/** Parses a path parameter as an id or UUID. Throws 304 for anything else. */
export function singleReference(text: string): SingleReference {
  const reference = objectReference(text);
  if (reference === null || reference.kind === "class") throw new ServiceError(304);
  return reference;
}

/** Parses a path parameter as a class name. Throws 304 for anything else. */
function classNameOf(text: string): string {
  const reference = objectReference(text);
  if (reference?.kind !== "class") throw new ServiceError(304);
  return reference.className;
}

/** The success with an object and its version. */
export function objectSuccess({ object, version }: { readonly object: unknown; readonly version: number }): Success {
  return { data: object, version };
}

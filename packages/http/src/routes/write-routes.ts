import {
  attributesRequest,
  bareObjectSchema,
  countResponse,
  objectParameters,
  objectSchema,
  updateParameters,
} from "@sallyport/contract";
import { type GivenAttributes, objectReference, ServiceError } from "@sallyport/core";
import { z } from "zod";
import { defineRoute, type Route } from "./route.ts";
import { singleReference } from "./single-reference.ts";
import type { UseCases } from "./use-cases.ts";

type WriteUseCases = Pick<UseCases, "createObject" | "updateObject" | "updateObjects">;

const written = z.union([objectSchema, bareObjectSchema]);

/** Writing business objects. */
export function writeRoutes({ createObject, updateObject, updateObjects }: WriteUseCases): Route[] {
  return [
    defineRoute({
      method: "POST",
      path: "/v1/object/{idOrClass}",
      operation: "createObject",
      summary: "Creates an object of a class.",
      access: "session",
      body: { schema: attributesRequest, faultOrder: [] },
      query: objectParameters,
      data: written,
      versioned: true,
      errors: [304, 307, 308, 404, 710],
      handle: async (context, { parameter, body, query }) => {
        const reference = objectReference(parameter("idOrClass"));
        if (reference?.kind !== "class") throw new ServiceError(304);
        const { object, version } = await createObject.run(
          context,
          reference.className,
          body as GivenAttributes,
          query.serialization,
        );
        return { data: object, version };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/object/{idOrClass}",
      operation: "updateObject",
      summary: "Changes the attributes of an object that the body names.",
      access: "session",
      body: { schema: attributesRequest, faultOrder: [] },
      query: objectParameters,
      data: written,
      versioned: true,
      conditional: true,
      errors: [304, 307, 308, 404, 610, 710, 713],
      handle: async (context, { parameter, body, query, expectedVersions }) => {
        const input = { given: body as GivenAttributes, expectedVersions, serialization: query.serialization };
        const { object, version } = await updateObject.run(context, singleReference(parameter("idOrClass")), input);
        return { data: object, version };
      },
    }),
    defineRoute({
      method: "PATCH",
      path: "/v1/objects/{className}",
      operation: "updateObjects",
      summary: "Changes all objects of a class that match a query, at most 10,000: all of them or none.",
      access: "session",
      body: { schema: attributesRequest, faultOrder: [] },
      query: updateParameters,
      data: countResponse,
      conditional: true,
      errors: [304, 307, 308, 329, 404, 710, 713],
      handle: async (context, { parameter, body, query, expectedVersions }) => {
        const reference = objectReference(parameter("className"));
        if (reference?.kind !== "class") throw new ServiceError(304);
        const { className } = reference;
        const { count } = await updateObjects.run(context, {
          className,
          query: query.query,
          given: body as GivenAttributes,
          expectedVersions,
        });
        return { data: { "~Count": count } };
      },
    }),
  ];
}

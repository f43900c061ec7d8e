import { bareObjectSchema, type listRequest, type objectOperations, objectSchema } from "@sallyport/contract";
import { objectReference, ServiceError, type SingleReference } from "@sallyport/storage";
import {
  type InputAttributes,
  type SessionContext,
  listObjects,
  getObject,
  createObject,
  updateObject,
  updateObjects,
} from "@sallyport/core";
import * as z from "zod";
import type { Handlers, RouteInput, Success, Served } from "../route.ts";

const list = async (
  context: Served<SessionContext>,
  className: string,
  { query, cursor, serialization, page, perPage, count }: z.output<typeof listRequest>,
  { position }: Pick<RouteInput<never, never>, "position">,
) => {
  const input = { className, query, cursor, serialization, page, perPage, capped: count === "capped", position };
  const { list: found, next } = await listObjects(context, input);
  const { "~Elements": elements, ...counts } = found;
  return { data: { ...counts, ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
};

/** Reads and writes of objects. */
export const objectHandlers: Handlers<typeof objectOperations> = {
  getObject: async (context, input) => {
    const { parameter, query } = input;
    const reference = objectReference(parameter("idOrClass"));
    if (reference === null) throw new ServiceError(304);
    if (reference.kind === "class") return list(context, reference.className, query, input);
    return objectSuccess(await getObject(context, reference, query.serialization));
  },
  listObjects: (context, input) => list(context, classNameOf(input.parameter("className")), input.query, input),
  queryObjects: (context, input) => list(context, classNameOf(input.parameter("className")), input.body, input),
  createObject: async (context, { parameter, body, query }) => {
    const className = classNameOf(parameter("idOrClass"));
    return objectSuccess(await createObject(context, className, body as InputAttributes, query.serialization));
  },
  updateObject: async (context, { parameter, body, query, expectedVersions }) => {
    const input = { input: body as InputAttributes, expectedVersions, serialization: query.serialization };
    return objectSuccess(await updateObject(context, singleReference(parameter("idOrClass")), input));
  },
  updateObjects: async (context, { parameter, body, query, expectedVersions }) => {
    const { count } = await updateObjects(context, {
      className: classNameOf(parameter("className")),
      query: query.query,
      input: body as InputAttributes,
      expectedVersions,
    });
    return { data: { "~Count": count } };
  },
};

export const writtenObjectSchema = z.union([objectSchema, bareObjectSchema]);

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
export function objectSuccess({
  object,
  version,
}: {
  readonly object: object;
  readonly version: number;
}): Success<object> {
  return { data: object, version };
}

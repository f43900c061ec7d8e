import { bareObjectSchema, type objectOperations, objectSchema } from "@sallyport/contract";
import { objectReference, ServiceError, type SingleReference } from "@sallyport/storage";
import type { GivenAttributes, SessionContext } from "@sallyport/core";
import * as z from "zod";
import { listForm, type ListRequest } from "../contract-forms.ts";
import type { Handlers, RouteInput, Success } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Reads and writes of objects. */
export const objectHandlers = ({
  createObject,
  getObject,
  listObjects,
  updateObject,
  updateObjects,
}: UseCases): Handlers<typeof objectOperations> => {
  const list = async (
    context: SessionContext,
    className: string,
    members: ListRequest,
    { position }: Pick<RouteInput<never, never>, "position">,
  ) => {
    const input = { className, ...listForm(members), position };
    const { list: found, next } = await listObjects.listObjects(context, input);
    const { "~Elements": elements, ...counts } = found;
    return { data: { ...counts, ...(next === null ? {} : { "~Cursor": next }), "~Elements": elements } };
  };
  return {
    getObject: async (context, input) => {
      const { parameter, query } = input;
      const reference = objectReference(parameter("idOrClass"));
      if (reference === null) throw new ServiceError(304);
      if (reference.kind === "class") return list(context, reference.className, query, input);
      return objectSuccess(await getObject.getObject(context, reference, query.serialization));
    },
    listObjects: (context, input) => list(context, classNameOf(input.parameter("className")), input.query, input),
    queryObjects: (context, input) => list(context, classNameOf(input.parameter("className")), input.body, input),
    createObject: async (context, { parameter, body, query }) => {
      const className = classNameOf(parameter("idOrClass"));
      return objectSuccess(
        await createObject.createObject(context, className, body as GivenAttributes, query.serialization),
      );
    },
    updateObject: async (context, { parameter, body, query, expectedVersions }) => {
      const input = { given: body as GivenAttributes, expectedVersions, serialization: query.serialization };
      return objectSuccess(await updateObject.updateObject(context, singleReference(parameter("idOrClass")), input));
    },
    updateObjects: async (context, { parameter, body, query, expectedVersions }) => {
      const { count } = await updateObjects.updateObjects(context, {
        className: classNameOf(parameter("className")),
        query: query.query,
        given: body as GivenAttributes,
        expectedVersions,
      });
      return { data: { "~Count": count } };
    },
  };
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

import { lockResponse, readersRequest, readersResponse } from "@sallyport/contract";
import { singleReference } from "./object-routes.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const readersPath = "/v1/object/{idOrClass}/readers";

/** Who alone may see a business object. */
export function readersRoutes({ getReaders, setReaders }: UseCases): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: readersPath,
      operation: "getReaders",
      summary: "Tells who alone may see an object, to callers who may write it.",
      access: "session",
      data: readersResponse,
      versioned: true,
      errors: [304, 404, 609],
      handle: async (context, { parameter }) => {
        const { readers, version } = await getReaders.run(context, singleReference(parameter("idOrClass")));
        return { data: { readers }, version };
      },
    }),
    defineRoute({
      method: "PUT",
      path: readersPath,
      operation: "setReaders",
      summary: "Says who alone may see an object. It is a write of the object.",
      access: "session",
      body: { schema: readersRequest, faultOrder: [] },
      data: readersResponse,
      versioned: true,
      conditional: true,
      errors: [304, 307, 404, 610, 713],
      handle: async (context, { parameter, body, expectedVersions }) => {
        const { readers, version } = await setReaders.run(context, singleReference(parameter("idOrClass")), {
          readers: body.readers,
          expectedVersions,
        });
        return { data: { readers }, version };
      },
    }),
  ];
}

const lockPath = "/v1/lock/object/{id}";

/** Locks of business objects. */
export function lockRoutes({ getLock, lockObject, unlockObject }: UseCases): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: lockPath,
      operation: "getLock",
      summary: "Tells whether an object is locked.",
      access: "session",
      data: lockResponse,
      errors: [304, 609],
      handle: async (context, { parameter }) => ({
        data: await getLock.run(context, singleReference(parameter("id"))),
      }),
    }),
    defineRoute({
      method: "POST",
      path: lockPath,
      operation: "lockObject",
      summary: "Locks an object for this session, until it gives the lock free or ends.",
      access: "session",
      data: lockResponse,
      errors: [304, 307, 404, 610, 713],
      handle: async (context, { parameter }) => ({
        data: await lockObject.run(context, singleReference(parameter("id"))),
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: lockPath,
      operation: "unlockObject",
      summary: "Gives the lock of an object free; an administrator also that of another session.",
      access: "session",
      data: lockResponse,
      errors: [304, 404, 610, 713],
      handle: async (context, { parameter }) => ({
        data: await unlockObject.run(context, singleReference(parameter("id"))),
      }),
    }),
  ];
}

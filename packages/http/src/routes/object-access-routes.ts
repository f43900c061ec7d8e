import { lockResponse, readersRequest, readersResponse } from "@sallyport/contract";
import { singleReference } from "./object-routes.ts";
import { defineRoute, type Route } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

const readersPath = "/v1/object/{idOrClass}/readers";

/** Routes of object readers. */
export function readersRoutes({ getReaders, setReaders }: UseCases): Route[] {
  return [
    defineRoute({
      method: "GET",
      path: readersPath,
      operation: "getReaders",
      summary: "Get the readers of an object",
      description: "Requires the right to write the object.",
      access: "session",
      data: readersResponse,
      versioned: true,
      errors: [304, 404, 609],
      handle: async (context, { parameter }) => {
        const { readers, version } = await getReaders.getReaders(context, singleReference(parameter("idOrClass")));
        return { data: { readers }, version };
      },
    }),
    defineRoute({
      method: "PUT",
      path: readersPath,
      operation: "setReaders",
      summary: "Set the readers of an object",
      description: "Restricts the object to these users and groups. Counts as a write of the object.",
      access: "session",
      body: { schema: readersRequest, faultOrder: [] },
      data: readersResponse,
      versioned: true,
      conditional: true,
      errors: [304, 307, 404, 610, 713],
      handle: async (context, { parameter, body, expectedVersions }) => {
        const { readers, version } = await setReaders.setReaders(context, singleReference(parameter("idOrClass")), {
          readers: body.readers,
          expectedVersions,
        });
        return { data: { readers }, version };
      },
    }),
  ];
}

/** Routes of object locks. */
export function lockRoutes({ getLock, lockObject, unlockObject }: UseCases): Route[] {
  const lockRoute = ({ useCase, ...route }: LockRoute) =>
    defineRoute({
      ...route,
      path: "/v1/lock/object/{id}",
      access: "session",
      data: lockResponse,
      handle: async (context, { parameter }) => ({
        data: await useCase(context, singleReference(parameter("id"))),
      }),
    });
  return [
    lockRoute({
      method: "GET",
      operation: "getLock",
      summary: "Get the lock of an object",
      errors: [304, 609],
      useCase: (context, reference) => getLock.getLock(context, reference),
    }),
    lockRoute({
      method: "POST",
      operation: "lockObject",
      summary: "Lock an object",
      description: "The session holds the lock until it releases it or ends.",
      errors: [304, 307, 404, 610, 713],
      useCase: (context, reference) => lockObject.lockObject(context, reference),
    }),
    lockRoute({
      method: "DELETE",
      operation: "unlockObject",
      summary: "Unlock an object",
      description: "Administrators can release the locks of other sessions.",
      errors: [304, 404, 610, 713],
      useCase: (context, reference) => unlockObject.unlockObject(context, reference),
    }),
  ];
}

interface LockRoute extends Pick<Route, "method" | "operation" | "summary" | "description" | "errors"> {
  readonly useCase: UseCases["getLock"]["getLock"];
}

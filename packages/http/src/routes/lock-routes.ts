import { lockResponse } from "@sallyport/contract";
import { defineRoute, type Route } from "./route.ts";
import { singleReference } from "./single-reference.ts";
import type { UseCases } from "./use-cases.ts";

type LockUseCases = Pick<UseCases, "getLock" | "lockObject" | "unlockObject">;

const path = "/v1/lock/object/{id}";

/** Locks of business objects. */
export function lockRoutes({ getLock, lockObject, unlockObject }: LockUseCases): Route[] {
  return [
    defineRoute({
      method: "GET",
      path,
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
      path,
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
      path,
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

import type { objectAccessOperations } from "@sallyport/contract";
import { singleReference } from "./object-handlers.ts";
import type { Handlers } from "../route.ts";
import { getReaders, setReaders, getLock, lockObject, unlockObject } from "@sallyport/core";

/** Readers and locks of objects. */
export const objectAccessHandlers: Handlers<typeof objectAccessOperations> = {
  getReaders: async (context, { parameter }) => {
    const { readers, version } = await getReaders(context, singleReference(parameter("idOrClass")));
    return { data: { readers }, version };
  },
  setReaders: async (context, { parameter, body, expectedVersions }) => {
    const { readers, version } = await setReaders(context, singleReference(parameter("idOrClass")), {
      readers: body.readers,
      expectedVersions,
    });
    return { data: { readers }, version };
  },
  getLock: async (context, { parameter }) => ({
    data: await getLock(context, singleReference(parameter("id"))),
  }),
  lockObject: async (context, { parameter, query: { takeOver } }) => ({
    data: await lockObject(context, singleReference(parameter("id")), { takeOver }),
  }),
  unlockObject: async (context, { parameter }) => ({
    data: await unlockObject(context, singleReference(parameter("id"))),
  }),
};

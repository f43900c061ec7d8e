import type { objectAccessOperations } from "@sallyport/contract";
import { singleReference } from "./object-handlers.ts";
import type { Handlers } from "./route.ts";
import type { UseCases } from "./use-cases.ts";

/** Readers and locks of objects. */
export const objectAccessHandlers = ({
  getReaders,
  setReaders,
  getLock,
  lockObject,
  unlockObject,
}: UseCases): Handlers<typeof objectAccessOperations> => ({
  getReaders: async (context, { parameter }) => {
    const { readers, version } = await getReaders.getReaders(context, singleReference(parameter("idOrClass")));
    return { data: { readers }, version };
  },
  setReaders: async (context, { parameter, body, expectedVersions }) => {
    const { readers, version } = await setReaders.setReaders(context, singleReference(parameter("idOrClass")), {
      readers: body.readers,
      expectedVersions,
    });
    return { data: { readers }, version };
  },
  getLock: async (context, { parameter }) => ({
    data: await getLock.getLock(context, singleReference(parameter("id"))),
  }),
  lockObject: async (context, { parameter }) => ({
    data: await lockObject.lockObject(context, singleReference(parameter("id"))),
  }),
  unlockObject: async (context, { parameter }) => ({
    data: await unlockObject.unlockObject(context, singleReference(parameter("id"))),
  }),
});

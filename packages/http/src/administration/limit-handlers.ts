import type { limitOperations } from "@sallyport/contract";
import { administeredLimits, changeLimits } from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { requiredVersions } from "./answers.ts";

/** The limits of sessions and request rates. */
export const limitHandlers: Handlers<typeof limitOperations> = {
  getLimits: async (context) => {
    const { content: items, version } = await administeredLimits(context);
    return { data: { items }, version };
  },
  changeLimits: async (context, { body, ...input }) => {
    const expectedVersions = requiredVersions(input);
    const changes = new Map(Object.entries(body));
    const { content: items, version } = await changeLimits(context, { changes, expectedVersions });
    return { data: { items }, version };
  },
};

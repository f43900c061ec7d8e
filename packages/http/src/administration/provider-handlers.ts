import type { administeredProviderOperations } from "@sallyport/contract";
import {
  checkProvider,
  type ListedLink,
  listLinksOf,
  removeLink,
  listProviders,
  listProviderTypes,
  readProvider,
  registerProvider,
  unregisterProvider,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, requiredVersions, timeText } from "./answers.ts";

/** Identity providers, and linked accounts. */
export const administeredProviderHandlers: Handlers<typeof administeredProviderOperations> = {
  listProviders: async (context) => ({
    data: { items: await listProviders(context), types: listProviderTypes(context) },
  }),
  getProvider: async (context, { parameter }) => {
    const { content: data, version } = await readProvider(context, parameter("type"));
    return { data, version };
  },
  putProvider: async (context, { parameter, body, expectedVersions }) => {
    const { content: data, version } = await registerProvider(context, {
      type: parameter("type"),
      expectedVersions,
      ...body,
    });
    return { data, version };
  },
  checkProvider: (context, { parameter }) => checkProvider(context, parameter("type")),
  removeProvider: async (context, { parameter, ...input }) => {
    const expectedVersions = requiredVersions(input);
    await unregisterProvider(context, { type: parameter("type"), expectedVersions });
    return { data: {} };
  },
  listLinks: async (context, { query: { user: userId = null, ...query } }) => ({
    data: await pageData(query, (page) => listLinksOf(context, { userId, page }), {
      keyOf: ({ link }) => link.id,
      show: shownLink,
    }),
  }),
  removeLink: async (context, { parameter }) => {
    await removeLink(context, parameter("linkId"));
  },
};

function shownLink({ link: { value, createdAt }, user }: ListedLink) {
  const { id: linkId, provider, userId, displayName, email, shared } = value;
  return { linkId, provider, userId, user, displayName, email, shared, linkedAt: timeText(createdAt) };
}

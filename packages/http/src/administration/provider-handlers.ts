import type { administeredProviderOperations } from "@sallyport/contract";
import { type ListedLink, listLinksOf, removeLink } from "@sallyport/core";
import type { Handlers } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { pageData, requiredVersions, timeText } from "./answers.ts";

/** Identity providers, and linked accounts. */
export const administeredProviderHandlers = ({
  administerProviders,
}: UseCases): Handlers<typeof administeredProviderOperations> => ({
  listProviders: async (context) => ({ data: { items: await administerProviders.listProviders(context) } }),
  getProvider: async (context, { parameter }) => {
    const { content: data, version } = await administerProviders.findProvider(context, parameter("type"));
    return { data, version };
  },
  putProvider: async (context, { parameter, body, expectedVersions }) => {
    const { content: data, version } = await administerProviders.registerProvider(context, {
      type: parameter("type"),
      expectedVersions,
      ...body,
    });
    return { data, version };
  },
  removeProvider: async (context, { parameter, ...input }) => {
    const expectedVersions = requiredVersions(input);
    await administerProviders.removeProvider(context, { type: parameter("type"), expectedVersions });
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
});

function shownLink({ link: { value, createdAt }, user }: ListedLink) {
  const { id: linkId, provider, userId, displayName, email, shared } = value;
  return { linkId, provider, userId, user, displayName, email, shared, linkedAt: timeText(createdAt) };
}

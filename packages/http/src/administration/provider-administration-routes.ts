import {
  administeredLinksResponse,
  administeredProvider,
  emptyResponse,
  ofUserParameters,
  providerRequest,
  providersResponse,
} from "@sallyport/contract";
import { type ListedLink, listLinksOf, removeLink } from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, pageData, requiredVersions, timeText } from "./administration-route.ts";

/** Routes of identity providers. */
export function providerAdministrationRoutes({ administerProviders }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/providers",
      operation: "listProviders",
      summary: "List the registered providers",
      data: providersResponse,
      errors: [],
      handle: async (context) => ({ data: { items: await administerProviders.listProviders(context) } }),
    }),
    administrationRoute({
      method: "GET",
      path: "/providers/{type}",
      operation: "getProvider",
      summary: "Get a registered provider",
      data: administeredProvider,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => {
        const { content: data, version } = await administerProviders.findProvider(context, parameter("type"));
        return { data, version };
      },
    }),
    administrationRoute({
      method: "PUT",
      path: "/providers/{type}",
      operation: "putProvider",
      summary: "Register a provider, or replace its registration",
      description: "`If-Match` is required if the provider is registered, and must be absent otherwise.",
      needsProof: true,
      body: { schema: providerRequest, faultOrder: [] },
      data: administeredProvider,
      versioned: true,
      conditional: true,
      errors: [208, 608, 713],
      handle: async (context, { parameter, body, expectedVersions }) => {
        const { content: data, version } = await administerProviders.registerProvider(context, {
          type: parameter("type"),
          expectedVersions,
          ...body,
        });
        return { data, version };
      },
    }),
    administrationRoute({
      method: "DELETE",
      path: "/providers/{type}",
      operation: "removeProvider",
      summary: "Remove the registration of a provider",
      description: "Links stay, and work again when the provider is registered again.",
      needsProof: true,
      data: emptyResponse,
      conditional: true,
      errors: [713],
      handle: async (context, { parameter, ...input }) => {
        const expectedVersions = requiredVersions(input);
        await administerProviders.removeProvider(context, { type: parameter("type"), expectedVersions });
        return { data: {} };
      },
    }),
  ];
}

/** Routes of linked provider accounts. */
export function linkRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/links",
      operation: "listLinks",
      summary: "List the linked provider accounts",
      query: ofUserParameters,
      data: administeredLinksResponse,
      errors: [],
      handle: async (context, { query: { user: userId = null, ...query } }) => ({
        data: await pageData(query, (page) => listLinksOf(context, { userId, page }), {
          keyOf: ({ link }) => link.id,
          show: shownLink,
        }),
      }),
    }),
    administrationRoute({
      method: "DELETE",
      path: "/links/{linkId}",
      operation: "removeLink",
      summary: "Remove a linked provider account",
      description: "Removes its second factors, and ends the sessions that it opened.",
      needsProof: true,
      data: emptyResponse,
      errors: [],
      handle: async (context, { parameter }) => {
        await removeLink(context, parameter("linkId"));
        return { data: {} };
      },
    }),
  ];
}

function shownLink({ link: { value, createdAt }, user }: ListedLink) {
  const { id: linkId, provider, userId, displayName, email, shared } = value;
  return { linkId, provider, userId, user, displayName, email, shared, linkedAt: timeText(createdAt) };
}

import * as z from "zod";
import { operations } from "../operations.ts";
import { ofUserParameters, pageOf, time } from "./access.ts";

const providerData = z.record(z.string(), z.string());

/** A registered identity provider. */
export const administeredProvider = z
  .object({
    type: z.string(),
    name: z.string(),
    enabled: z.boolean().describe("Whether the configuration of the server enables the type."),
    appNames: z.array(z.string()),
    defaultUser: z.string().nullable().describe("Log-in name of the user for new external users."),
    data: providerData.describe("Additional data. Secrets are replaced by `***`."),
    fault: z.string().nullable().describe("Why the additional data cannot be used."),
    callback: z.string().nullable(),
  })
  .meta({ id: "AdministeredProvider" });

/** A type of providers that the server supports. */
const providerType = z
  .object({
    type: z.string(),
    enabled: administeredProvider.shape.enabled,
    callback: z
      .string()
      .nullable()
      .describe(
        "Address for the registration at the provider. `null` if it is unknown, or follows from the additional data.",
      ),
  })
  .meta({ id: "ProviderType" });

export const providersResponse = z
  .object({ items: z.array(administeredProvider), types: z.array(providerType) })
  .meta({ id: "AdministeredProviders" });

export const providerRequest = z
  .strictObject({
    name: z.string().describe("Display name."),
    data: providerData.describe("Additional data, with all members and secrets."),
    appNames: z.array(z.string()).default([]).describe("Default app names of log-ins."),
    defaultUserId: z.string().nullable().default(null).describe("Id of the user for new external users."),
  })
  .meta({ id: "PutProvider" });

/** A provider account that is linked to a user. */
export const administeredLink = z
  .object({
    linkId: z.string(),
    provider: z.string(),
    userId: z.string(),
    user: z.string().describe("Log-in name of the user. Empty without an account."),
    displayName: z.string().nullable(),
    email: z.string().nullable(),
    shared: z.boolean().describe("Whether several links share the user."),
    linkedAt: time,
  })
  .meta({ id: "AdministeredLink" });

export const administeredLinksResponse = pageOf(administeredLink).meta({ id: "AdministeredLinks" });

export type ProviderTypeData = z.infer<typeof providerType>;
export type AdministeredProviderData = z.infer<typeof administeredProvider>;
export type ProviderRequestData = z.input<typeof providerRequest>;
export type AdministeredLinkData = z.infer<typeof administeredLink>;

/** Identity providers, and linked accounts. */
export const administeredProviderOperations = operations("Providers", {
  listProviders: {
    method: "GET",
    path: "/admin/v1/providers",
    access: "session",
    summary: "List the registered providers, and the types that can be registered",
    data: providersResponse,
  },
  getProvider: {
    method: "GET",
    path: "/admin/v1/providers/{type}",
    access: "session",
    summary: "Get a registered provider",
    data: administeredProvider,
    versioned: true,
  },
  putProvider: {
    method: "PUT",
    path: "/admin/v1/providers/{type}",
    access: "session",
    proof: true,
    summary: "Register a provider, or replace its registration",
    description: "`If-Match` is required if the provider is registered, and must be absent otherwise.",
    body: { json: providerRequest },
    data: administeredProvider,
    versioned: true,
    conditional: true,
    errors: [208, 608, 713],
  },
  checkProvider: {
    method: "GET",
    path: "/admin/v1/providers/{type}/check",
    access: "session",
    summary: "Check the registration of a provider and its connection",
    description: "Asks the provider whether it accepts the client, where the provider can tell without a log-in.",
    errors: [324, 608, 698],
  },
  removeProvider: {
    method: "DELETE",
    path: "/admin/v1/providers/{type}",
    access: "session",
    proof: true,
    summary: "Remove the registration of a provider",
    description: "Links stay, and work again when the provider is registered again.",
    conditional: true,
    errors: [713],
  },
  listLinks: {
    method: "GET",
    path: "/admin/v1/links",
    access: "session",
    summary: "List the linked provider accounts",
    query: ofUserParameters,
    data: administeredLinksResponse,
  },
  removeLink: {
    method: "DELETE",
    path: "/admin/v1/links/{linkId}",
    access: "session",
    proof: true,
    summary: "Remove a linked provider account",
    description: "Removes its second factors, and ends the sessions that it opened.",
  },
});

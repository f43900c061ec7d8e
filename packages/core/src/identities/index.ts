export { type IdentityLink, type NewIdentityLink, type ProviderIdentity, type ProviderType, providerTypes } from "./identity-link.ts";
export type { IdentityLinkRepository } from "./identity-link-repository.ts";
export type { AuthorizationAnswer, AuthorizationRequest, CallbackParameters, IdentityProvider, ProviderData, ProviderProfile } from "./identity-provider.ts";
export type { ProviderEntry } from "./provider-entry.ts";
export type { ProviderRepository } from "./provider-repository.ts";

export { identityProviders, type IdentityProvidersOptions } from "./identity-providers.ts";
export { imitatedIssuer } from "./provider-data.ts";

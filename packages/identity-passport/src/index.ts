export { identityProviders, type IdentityProvidersOptions } from "./identity-providers.ts";
export { fakeIssuer } from "./provider-data.ts";

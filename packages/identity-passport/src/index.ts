export { identityProviders, type IdentityProvidersOptions } from "./identity-providers.ts";

export { identityProviders, type IdentityProvidersOptions } from "./identity-providers.ts";
export { imitatedIssuer } from "./strategies/imitated-issuer.ts";

export type { ProviderCheck } from "./provider-check.ts";
export { numberOfProviderChecks, providerChecks } from "./provider-checks.ts";
export { appliesTo, providerConformance, runProviderCheck } from "./provider-conformance.ts";
export { type ProviderFault, providerFaults, type ProviderProof } from "./provider-fault.ts";
export type { ProviderUnderTest } from "./provider-under-test.ts";

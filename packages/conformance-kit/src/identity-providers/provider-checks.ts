import { dataChecks } from "./data-checks.ts";
import { faultChecks } from "./fault-checks.ts";
import { logInChecks } from "./log-in-checks.ts";
import type { ProviderCheck } from "./provider-check.ts";

/** All that is asked of an identity provider. */
export const providerChecks: readonly ProviderCheck[] = [...dataChecks, ...logInChecks, ...faultChecks];

/** How many there are: none can vanish unnoticed. */
export const numberOfProviderChecks = 39;

import type { CatalogueEntry } from "./extensions.ts";
import { operationErrors } from "./operation-errors.ts";
import { requestErrors } from "./request-errors.ts";

/**
 * The fixed catalogue of failures: every answer that is not a success carries one of these codes, or one of the
 * extensions listed apart. Clients decide by the code, so an entry never changes its number, status or name.
 */
export const catalogue = [...requestErrors, ...operationErrors] as const satisfies readonly CatalogueEntry[];

export type { CatalogueEntry } from "./catalogue-entry.ts";
export { catalogue } from "./catalogue.ts";
export { type ErrorCode, errorEntry, isErrorCode } from "./error-code.ts";
export { faultAt } from "./fault-at.ts";
export { extensions } from "./extensions.ts";
export { jsonPointer } from "./json-pointer.ts";
export { ServiceError, type ServiceErrorOptions } from "./service-error.ts";

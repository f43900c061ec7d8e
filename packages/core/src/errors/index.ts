export { catalogue } from "./catalogue.ts";
export { type ErrorCode, errorEntry, isErrorCode } from "./error-code.ts";
export { type CatalogueEntry, extensions } from "./extensions.ts";
export { faultAt, jsonPointer, ServiceError, type ServiceErrorOptions } from "./service-error.ts";

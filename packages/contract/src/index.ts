export * from "./envelope/index.ts";
export * from "./fields/index.ts";
export { headerNames } from "./header-names.ts";
export * from "./requests/index.ts";
export * from "./responses/index.ts";
export * from "./secure/index.ts";
export { attributeType, deleteRule, permission } from "./words.ts";

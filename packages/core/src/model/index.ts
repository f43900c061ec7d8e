export { isSameClass } from "./accept-class.ts";
export * from "./accept-classes.ts";
export type { AttributeRequest, ClassRequest, RightRequest } from "./class-request.ts";
export * from "./incompatible-changes.ts";
export * from "./model.ts";
export { titleAttributes } from "./title-path.ts";

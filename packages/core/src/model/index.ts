export { isSameClass } from "./accept-class.ts";
export * from "./accept-classes.ts";
export type { GivenAttribute, GivenClass, GivenRight } from "./given-class.ts";
export * from "./incompatible-changes.ts";
export * from "./model.ts";

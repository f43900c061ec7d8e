export type { Principal } from "./principal.ts";
export { isVisible, seesAll, type Visibility } from "./visibility.ts";
export { mayOnClass, visibilityOf } from "./visibility-of.ts";

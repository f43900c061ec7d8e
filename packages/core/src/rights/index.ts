export { ListReadableClasses, type ReadableClass, type ReadableClasses } from "./list-readable-classes.ts";
export type { Principal } from "./principal.ts";
export { readableFamily } from "./readable-family.ts";
export { readableTargets } from "./readable-targets.ts";
export { requireAdministrator } from "./require-administrator.ts";
export { unattendedPrincipal } from "./unattended-principal.ts";
export { isVisible, seesAll, type Visibility } from "./visibility.ts";
export { mayOnClass, visibilityOf } from "./visibility-of.ts";

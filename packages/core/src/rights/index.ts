export {
  ListReadableClasses,
  mayOnClass,
  type ReadableClass,
  type ReadableClasses,
  readableFamily,
  readableTargets,
  visibilityOf,
} from "./visibility-of.ts";
export { type Principal, requireAdministrator, unattendedPrincipal } from "./principal.ts";
export { isVisible, seesAll, type Visibility } from "./visibility.ts";

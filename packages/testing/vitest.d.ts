import type { ResponseMatchers } from "./dist/matchers/matchers.js";

declare module "vitest" {
  // oxlint-disable-next-line typescript/no-explicit-any -- Merged declarations need the type parameter of Vitest.
  interface Matchers<T = any> extends ResponseMatchers<T> {}
}

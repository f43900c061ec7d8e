import type { ResponseMatchers } from "./dist/matchers/matchers.js";

declare module "vitest" {
  // Vitest declares this type parameter, and TypeScript demands the same.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Matchers<T = any> extends ResponseMatchers<T> {}
}

import type { ResponseMatchers } from "./dist/matchers/matchers.js";

declare module "vitest" {
  interface Matchers<T> extends ResponseMatchers<T> {}
}

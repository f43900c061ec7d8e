import type { ResponseMatchers } from "./dist/matchers/matchers.js";

declare global {
  // The namespace of `@types/jest`.
  namespace jest {
    interface Matchers<R> extends ResponseMatchers<R> {}
  }
}

declare module "expect" {
  // The types behind `expect` of `@jest/globals`.
  interface Matchers<R extends void | Promise<void>> extends ResponseMatchers<R> {}
}

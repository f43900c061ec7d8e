import { matchers, type ResponseMatchers } from "./matchers.ts";

declare global {
  // The namespace of `@types/jest`.
  namespace jest {
    interface Matchers<R> extends ResponseMatchers<R> {}
  }
}

interface Extensible {
  extend(more: typeof matchers): void;
}

const { expect } = globalThis as { readonly expect?: Extensible };
if (expect === undefined) throw new TypeError("There is no global `expect`. Use `@sallyport/testing/assert` instead.");
expect.extend(matchers);

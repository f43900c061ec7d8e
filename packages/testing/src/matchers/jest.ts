import { matchers } from "./matchers.ts";

interface Extensible {
  extend(more: typeof matchers): void;
}

const { expect } = globalThis as { readonly expect?: Extensible };
if (expect === undefined) throw new TypeError("There is no global `expect`. Use `@sallyport/testing/assert` instead.");
expect.extend(matchers);

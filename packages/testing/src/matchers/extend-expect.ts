import { matchers } from "./matchers.ts";

interface Extensible {
  extend(more: typeof matchers): void;
}

/** Adds the matchers to the global `expect` of a test runner. */
export function extendExpect({ expect }: { readonly expect?: Extensible }): void {
  if (expect === undefined)
    throw new TypeError("There is no global `expect`. Use `@sallyport/testing/assert` instead.");
  expect.extend(matchers);
}

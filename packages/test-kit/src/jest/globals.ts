import type * as Globals from "@jest/globals";

/** Stands in for `@jest/globals`, which only Jest's own runtime can load. */
export const { expect, jest } = globalThis as unknown as Pick<typeof Globals, "expect" | "jest">;

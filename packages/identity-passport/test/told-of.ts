import { inspect } from "node:util";

/** Everything that an error could tell to whoever logs it. */
export const toldOf = (error: unknown): string =>
  inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });

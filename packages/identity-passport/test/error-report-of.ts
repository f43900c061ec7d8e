import { inspect } from "node:util";

/** Everything that an error could tell to whoever logs it. */
export const errorReportOf = (error: unknown): string =>
  inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });

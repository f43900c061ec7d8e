import { inspect } from "node:util";

/** All parts of an error that a log can contain. */
export const errorReportOf = (error: unknown): string =>
  inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null });

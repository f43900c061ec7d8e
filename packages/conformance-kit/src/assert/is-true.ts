import { ConformanceError } from "./conformance-error.ts";

/** Asserts that a statement is true. */
export function isTrue(statement: boolean, what: string): asserts statement {
  if (!statement) throw new ConformanceError(`${what}.`);
}

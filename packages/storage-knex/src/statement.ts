import { createHash } from "node:crypto";

/** A fixed SQL text with numbered parameters, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** That a row with the same key is there is no error, but means that nothing is done; for engines whose SQL cannot say so. */
  readonly unlessKnown?: true;
  /** Is asked with every request, waits for nobody and has a small answer: those of several requests may travel together. */
  readonly batchable?: true;
  /** How it may be part of one statement with others that answer nothing either: the call of a function, or the addition of a row. */
  readonly batch?: "call" | "addition";
}

/**
 * Names the text. The name holds a digest of the text, so that storages of several schemas, and processes of several
 * versions behind one connection pooler, never meet another's statement under the same name.
 */
export function statement(name: string, text: string): Statement {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { name: `${name}_${digest}`, text };
}

/** A statement that may travel with those of other requests. */
export function batchableStatement(name: string, text: string): Statement {
  return { ...statement(name, text), batchable: true };
}

/** A statement that adds a row, unless one with the same key is there. */
export function additionUnlessKnown(name: string, text: string): Statement {
  return { ...statement(name, text), unlessKnown: true };
}

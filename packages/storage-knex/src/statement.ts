import { createHash } from "node:crypto";

/** A fixed SQL text with numbered parameters, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Treats a duplicate key as success with no affected rows, for engines without such a clause. */
  readonly ignoreDuplicates?: true;
  /** Runs with every request, never waits for a lock and has a small answer: can be batched with those of other requests. */
  readonly batchable?: true;
  /** How it combines with other statements without answers into one: a function call, or an insert. */
  readonly batch?: "call" | "addition";
}

/**
 * Names the text. The name contains a hash of the text, so that several schemas, or several versions behind one
 * connection pooler, never share a name for different statements.
 */
export function statement(name: string, text: string): Statement {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { name: `${name}_${digest}`, text };
}

/** A statement that can be batched with those of other requests. */
export function batchableStatement(name: string, text: string): Statement {
  return { ...statement(name, text), batchable: true };
}

/** A statement that inserts a row unless its key exists. */
export function insertIgnoringDuplicates(name: string, text: string): Statement {
  return { ...statement(name, text), ignoreDuplicates: true };
}

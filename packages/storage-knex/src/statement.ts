import { createHash } from "node:crypto";

/** A fixed SQL text with numbered parameters, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * Names the text. The name holds a digest of the text, so that storages of several schemas, and processes of several
 * versions behind one connection pooler, never meet another's statement under the same name.
 */
export function statement(name: string, text: string): Statement {
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { name: `${name}_${digest}`, text };
}

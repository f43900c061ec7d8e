import type { ServerKeyKind } from "@sallyport/core";
import type { Statement } from "../statement.ts";

export interface KeyStatements {
  /** 1 kind. */
  readonly current: Statement;
  /** 1 kind, 2 offset of the clock. */
  readonly accepted: Statement;
  /** 1 kind, 2 offset of the clock. */
  readonly kept: Statement;
  /** 1 kind, 2 id, 3 public key, 4 wrapped private key, 5 offset of the clock. */
  readonly addFirst: Statement;
  /** The same, and 6 expected id, 7 overlap. Adds a row, or nothing. */
  readonly rotate: Statement;
  /** 1 least age, 2 limit, 3 offset of the clock. */
  readonly sweep: Statement;
}

export interface KeyRow {
  readonly kind: ServerKeyKind;
  readonly key_id: string;
  readonly public_key: string;
  readonly wrapped_private_key: string;
  readonly created_at: string;
  readonly accepted_until: string | null;
}

import type { JsonValue, RecordKind } from "../storage/index.ts";

export const syncDirections = ["pull", "push", "both"] as const;

export type SyncDirection = (typeof syncDirections)[number];

/** Decides about a field that client and server have both changed. `macro` names the macro that decides. */
export type ConflictPolicy = "client" | "server" | "reject" | { readonly macro: string };

/** A class of a schema, with its subclasses. */
export interface SyncClass {
  readonly className: string;
  /** Names of attributes; `null` for all. A class with an entry of its own does not use that of its base. */
  readonly fields: readonly string[] | null;
}

/** The data that the clients of one application synchronize. */
export interface SyncSchema {
  readonly name: string;
  readonly classes: readonly SyncClass[];
  /** Filter as in lists, without paths through references; `null` for all objects. */
  readonly where: JsonValue | null;
  readonly direction: SyncDirection;
  readonly conflicts: ConflictPolicy;
  /** Default of `limit`. */
  readonly pageSize: number;
}

export const syncSchemaKind: RecordKind<SyncSchema> = "syncSchema";

export const defaultPageSize = 500;
export const maxPageSize = 5_000;

/** Whether a text can be the name of a schema. */
export function isSyncSchemaName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(text);
}

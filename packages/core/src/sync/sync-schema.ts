import type { JsonValue, RecordKind } from "@sallyport/storage";

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

/** Whether a stored value is a schema of this name. A database administrator can have damaged it. */
export function isSyncSchema(value: unknown, name: string): value is SyncSchema {
  if (typeof value !== "object" || value === null) return false;
  const { name: ownName, classes, where, direction, conflicts, pageSize } = value as Record<keyof SyncSchema, unknown>;
  return (
    ownName === name &&
    isSyncSchemaName(name) &&
    Array.isArray(classes) &&
    classes.every(isSyncClass) &&
    where !== undefined &&
    syncDirections.some((each) => each === direction) &&
    isConflictPolicy(conflicts) &&
    Number.isInteger(pageSize)
  );
}

function isSyncClass(value: unknown): value is SyncClass {
  if (typeof value !== "object" || value === null) return false;
  const { className, fields } = value as Record<keyof SyncClass, unknown>;
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === "string");
  return typeof className === "string" && (fields === null || isList);
}

function isConflictPolicy(value: unknown): value is ConflictPolicy {
  if (typeof value !== "object" || value === null) return ["client", "server", "reject"].some((each) => each === value);
  return "macro" in value && typeof value.macro === "string";
}

/** Whether a text can be the name of a schema. */
export function isSyncSchemaName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(text);
}

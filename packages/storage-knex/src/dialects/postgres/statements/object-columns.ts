import { epochMilliseconds } from "./storage-time.ts";

/** The columns of an `ObjectRow`, of the table under this name. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${beside(o, storedAt)}, ${o}.attributes`;
}

/**
 * The same, but the attributes are null in every row if those of all rows together take more bytes than that: then they are not even
 * looked up, large ones as little as small ones. See `objectsWithin`.
 */
export function boundedColumns(o: string, bytes: string): string {
  return `${beside(o, "stored_at")}, case when sum(${o}.bytes) over () <= ${bytes} then ${o}.attributes end as attributes`;
}

function beside(o: string, storedAt: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${epochMilliseconds(`${o}.${storedAt}`)} as stored_at, array_to_json(${o}.readers) as readers`;
}

/** The columns of an `OutlineRow`. */
export function outlineColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${epochMilliseconds(`${o}.stored_at`)} as stored_at, ${o}.bytes`;
}

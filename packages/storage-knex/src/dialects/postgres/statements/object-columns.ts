import { epochMilliseconds } from "./storage-time.ts";

/** The columns of an `ObjectRow`, of the table under this name. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${epochMilliseconds(`${o}.${storedAt}`)} as stored_at,
    array_to_json(${o}.readers) as readers, ${o}.attributes`;
}

import { epochMilliseconds } from "./storage-time.ts";

/** The columns of an `ObjectRow`, of the table under this name. */
export function objectColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${epochMilliseconds(`${o}.stored_at`)} as stored_at,
    array_to_json(${o}.readers) as readers, ${o}.attributes`;
}

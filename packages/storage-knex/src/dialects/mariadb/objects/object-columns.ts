/** The columns of an `ObjectRow`, of the table under this name. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.${storedAt} as stored_at, ${o}.readers, ${o}.attributes`;
}

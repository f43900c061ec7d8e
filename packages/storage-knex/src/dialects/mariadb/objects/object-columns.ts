/** The columns of an `ObjectRow`, of the table under this name. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.${storedAt} as stored_at, ${o}.readers, ${o}.attributes`;
}

/** The same, but the attributes are null in every row if those of all rows together take more bytes than that, see `objectsWithin`. */
export function boundedColumns(o: string, bytes: number): string {
  const whole = `sum(${o}.bytes) over () <= ${bytes}`;
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.readers, case when ${whole} then ${o}.attributes end as attributes`;
}

/** The columns of an `OutlineRow`. */
export function outlineColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.bytes`;
}

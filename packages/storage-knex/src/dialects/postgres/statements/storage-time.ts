/** The storage's clock in SQL: the statement's start, moved by the parameter of that number (milliseconds). */
export function storageTime(parameter: number): string {
  return `(statement_timestamp() + $${parameter}::float8 * interval '1 millisecond')`;
}

/** A point in time as whole milliseconds since 1970. */
export function epochMilliseconds(time: string): string {
  return `floor(extract(epoch from ${time}) * 1000)::bigint`;
}

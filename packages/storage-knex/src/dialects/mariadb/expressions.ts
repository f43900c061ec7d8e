/** The storage's clock in SQL: the start of the statement plus the parameter of this number (milliseconds). */
export function storageTime(parameter: number): string {
  return addMilliseconds("now(6)", `$${parameter}`);
}

/** A time plus milliseconds. */
export function addMilliseconds(time: string, milliseconds: string): string {
  return `(${time} + interval (${milliseconds}) * 1000 microsecond)`;
}

/** A time minus milliseconds. */
export function earlier(time: string, milliseconds: string): string {
  return `(${time} - interval (${milliseconds}) * 1000 microsecond)`;
}

/** A time as whole milliseconds since 1970. */
export function epochMilliseconds(time: string): string {
  return `(timestampdiff(microsecond, '1970-01-01', ${time}) div 1000)`;
}

/** The parameter of this number, an array of texts, as a table with the column `value`. */
export function textsOf(parameter: number): string {
  return textsIn(`$${parameter}`);
}

/** A JSON array of texts as a table with the column `value`. */
export function textsIn(array: string): string {
  return `json_table(${array}, '$[*]' columns (value longtext character set utf8mb4 collate utf8mb4_nopad_bin path '$'))`;
}

/** The expiry of permanent records: a time, so that unexpired ones are one key range. */
export const noExpiry = "timestamp '9999-12-31 23:59:59'";

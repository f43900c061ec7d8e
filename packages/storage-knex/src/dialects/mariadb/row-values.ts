/** Boolean columns, which the engine stores as numbers. A name has the same type in every statement. */
const booleanColumns = new Set([
  "administrator",
  "allowed",
  "confirmed",
  "disabled",
  "due",
  "empty",
  "enabled",
  "enrolling",
  "key_enabled",
  "known",
  "maintenance",
  "old",
  "raised",
  "recycled",
  "reserved",
  "present",
]);

/** JSON columns, which the engine stores as text. */
const jsonColumns = new Set([
  "app_names",
  "attributes",
  "changes",
  "classes",
  "definition",
  "groups",
  "key_app_names",
  "key_origins",
  "key_return_addresses",
  "link_value",
  "origins",
  "payload",
  "position",
  "readers",
  "readers_before",
  "recovery_codes",
  "reserved_names",
  "return_addresses",
  "secrets",
  "value",
]);

export type Row = Record<string, unknown>;

/** Converts booleans and JSON to their values. Changes the rows in place. */
export function withValues(rows: Row[]): Row[] {
  const [first] = rows;
  if (first === undefined) return rows;
  const names = Object.keys(first);
  const booleanNames = names.filter((name) => booleanColumns.has(name));
  const jsonNames = names.filter((name) => jsonColumns.has(name));
  for (const row of rows) {
    for (const name of booleanNames) if (row[name] !== null) row[name] = Number(row[name]) === 1;
    for (const name of jsonNames) if (typeof row[name] === "string") row[name] = JSON.parse(row[name]);
  }
  return rows;
}

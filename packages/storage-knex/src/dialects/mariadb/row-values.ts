/** Columns that hold truth values, which the engine keeps as numbers. A name means the same thing in every statement. */
const truths = new Set([
  "administrator",
  "allowed",
  "claimed",
  "confirmed",
  "disabled",
  "due",
  "empty",
  "enabled",
  "key_enabled",
  "known",
  "maintenance",
  "old",
  "raised",
  "recycled",
  "present",
]);

/** Columns that hold JSON, which the engine keeps as text. */
const documents = new Set([
  "app_names",
  "attributes",
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
  "recovery_codes",
  "return_addresses",
  "secrets",
  "value",
]);

/** A row as the driver makes it. */
export type Row = Record<string, unknown>;

/** Makes of rows what repositories expect of them: truth values and data of JSON. Changes the rows given. */
export function withValues(rows: Row[]): Row[] {
  const [first] = rows;
  if (first === undefined) return rows;
  const names = Object.keys(first);
  const ofTruth = names.filter((name) => truths.has(name));
  const ofDocuments = names.filter((name) => documents.has(name));
  for (const row of rows) {
    for (const name of ofTruth) if (row[name] !== null) row[name] = Number(row[name]) === 1;
    for (const name of ofDocuments) if (typeof row[name] === "string") row[name] = JSON.parse(row[name]);
  }
  return rows;
}

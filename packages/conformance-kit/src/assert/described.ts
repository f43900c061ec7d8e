/** A value for a message, cut to a readable length. */
export function described(value: unknown): string {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : (JSON.stringify(value, replaced) ?? String(value));
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function replaced(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  return typeof value === "bigint" || value === undefined ? String(value) : value;
}

/** A value as text for a message, at most 500 characters. An error includes its chain of causes. */
export function described(value: unknown): string {
  const text = value instanceof Error ? describedError(value) : (JSON.stringify(value, replaced) ?? String(value));
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}

function replaced(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return describedError(value);
  return typeof value === "bigint" || value === undefined ? String(value) : value;
}

function describedError({ name, message, cause }: Error): string {
  const text = `${name}: ${message}`;
  return cause instanceof Error ? `${text}, because of ${describedError(cause)}` : text;
}

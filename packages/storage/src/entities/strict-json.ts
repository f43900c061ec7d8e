/**
 * Parses a JSON object; `null` for any other text. Also `null` for duplicate member names: parsers disagree about their
 * meaning.
 */
export function strictJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || repeatsName(text)) return null;
  return value as Record<string, unknown>;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Whether an object in this valid JSON has duplicate member names. `JSON.parse` silently keeps the last one. */
function repeatsName(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let latest = "";
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1) ?? new Set();
      // Unescape before comparing: "a" and "\u0061" are the same name.
      const name = JSON.parse(latest) as string;
      if (names.has(name)) return true;
      names.add(name);
    } else latest = token;
  }
  return false;
}

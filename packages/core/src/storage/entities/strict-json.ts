/**
 * The object that a text stands for; `null` for anything else, also for one in which an object has a member twice: two readers
 * may understand such a text in two ways.
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

/** Whether an object in this valid JSON names a member twice: the parser would take the last one silently. */
function repeatsName(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let latest = "";
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1) ?? new Set();
      // Escapes are undone first: "a" and "\u0061" are the same name.
      const name = JSON.parse(latest) as string;
      if (names.has(name)) return true;
      names.add(name);
    } else latest = token;
  }
  return false;
}

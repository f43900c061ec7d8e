/** A JSON object by the names of its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The object that a text stands for; `null` for anything else, also for one in which an object has a member twice: two readers
 * may understand such a text in two ways.
 */
export function strictJsonObject(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) || repeatsMember(text)) return null;
  return value as JsonObject;
}

const string = /"(?:[^"\\]|\\.)*"/y;
const colon = /\s*:/y;

/** Whether an object in a text that is JSON has a member twice. */
function repeatsMember(text: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; ) {
    const character = text[at];
    if (character !== '"') {
      if (character === "{") open.push(new Set());
      else if (character === "}") open.pop();
      at += 1;
      continue;
    }
    string.lastIndex = at;
    const [literal = '"'] = string.exec(text) ?? [];
    at += literal.length;
    colon.lastIndex = at;
    if (!colon.test(text)) continue;
    // Escapes are undone first: "a" and "\u0061" are the same name.
    const name = String(JSON.parse(literal));
    const names = open.at(-1);
    if (names?.has(name) === true) return true;
    names?.add(name);
  }
  return false;
}

import { checkJsonLimits } from "@sallyport/contract";

const decoder = new TextDecoder("utf-8", { fatal: true });
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** The object that UTF-8 text stands for; `undefined` if it is none, names a member twice, or is beyond the limits of any JSON. */
export function parseUniqueObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value) || repeatsName(text)) return undefined;
    checkJsonLimits(value);
    return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Whether an object in this valid JSON names a member twice: the parser would take the last one silently. */
function repeatsName(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let latest = "";
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const names = open.at(-1) ?? new Set();
      const name = JSON.parse(latest) as string;
      if (names.has(name)) return true;
      names.add(name);
    } else latest = token;
  }
  return false;
}

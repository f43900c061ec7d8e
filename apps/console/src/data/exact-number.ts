const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;

/** Digits without zeros at both ends, and the place of the last one. Equal for equal numbers. */
function normalized(text: string): string | null {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = form.exec(text) ?? [];
  const all = `${whole}${fraction}`;
  if (all === "") return null;
  const digits = all.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const place = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === "-" ? "-" : ""}${significant}e${place}`;
}

export type ParsedNumber =
  | { readonly number: number }
  /** `form`: it is no number. `rounded`: a double has no such value, and the server would refuse it. */
  | { readonly fault: "form" }
  | { readonly fault: "rounded"; readonly nearest: number };

const isExactInteger = (text: string, number: number): boolean =>
  /^[+-]?\d+$/.test(text) && BigInt(number) === BigInt(text.replace(/^\+/, ""));

/** The number of a text with a decimal point, if a double has this value or shows the same digits. */
export function parseNumber(text: string): ParsedNumber {
  const trimmed = text.trim();
  const written = normalized(trimmed);
  if (written === null) return { fault: "form" };
  const nearest = Number(trimmed);
  const isExact =
    Number.isFinite(nearest) && (normalized(String(nearest)) === written || isExactInteger(trimmed, nearest));
  if (!isExact) return { fault: "rounded", nearest };
  // The server refuses -0.
  return { number: nearest === 0 ? 0 : nearest };
}

/** Texts, then numbers of JSON. */
const jsonTokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The value of a JSON text whose numbers are all those of doubles. The parser of a browser would round others without a word, and the
 * server refuses them.
 */
export function parseJson(text: string): { readonly value: unknown } | { readonly fault: "json" | "rounded" } {
  try {
    // The server refuses -0.
    const value: unknown = JSON.parse(text, (_name, member: unknown) => (member === 0 ? 0 : member));
    const numbers = (text.match(jsonTokens) ?? []).filter((token) => !token.startsWith('"'));
    return numbers.some((number) => "fault" in parseNumber(number)) ? { fault: "rounded" } : { value };
  } catch {
    return { fault: "json" };
  }
}

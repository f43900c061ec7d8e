/** An array, an object or a document begins with a number that may have too many digits, an exponent or a sign of zero. */
const suspicious = /(?:^|[:,[])\s*(?:-0|-?[\d.]{16}|-?[\d.]+[eE])/;
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** A client cannot know this name of a member. */
const mark = crypto.randomUUID();

/**
 * Parses JSON; throws a `SyntaxError` as `JSON.parse`. A number that a double would change, such as 9007199254740993,
 * 1e400 or -0, is a `Number` object, so that it differs from the others.
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!suspicious.test(text)) return value;
  let isExact = true;
  const marked = text.replaceAll(tokens, (token) => {
    if (token.startsWith('"') || isExactNumber(token)) return token;
    isExact = false;
    return `{"${mark}":"${token}"}`;
  });
  return isExact ? value : JSON.parse(marked, boxed);
}

function boxed(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) return value;
  return Object(Number((value as Readonly<Record<string, string>>)[mark]));
}

/** Whether a double has this decimal value, in its shortest form. */
function isExactNumber(text: string): boolean {
  const value = Number(text);
  const shown = String(value);
  if (shown === text) return true;
  return Number.isFinite(value) && !Object.is(value, -0) && decimalOf(shown) === decimalOf(text);
}

/** The digits of a number without zeros at both ends, and the power of ten behind them. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values: ReadonlyMap<string, number> = new Map([...alphabet].map((character, value) => [character, value]));

/** Base64 with padding, as browsers and servers alike can make it; for the few bytes of a header or a key. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    for (const shift of [18, 12, 6, 0]) text += alphabet.charAt((bits >> shift) & 63);
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - missing) + "=".repeat(missing);
}

/** The bytes of a text that `encodeBase64` would make of them; `undefined` for every other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const digits = text.replace(/={1,2}$/, "");
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let length = 0;
  for (const [index, digit] of [...digits].entries()) {
    const value = values.get(digit);
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xfff;
    const free = 2 * (index % 4);
    if (free > 0) bytes[length++] = bits >> (6 - free);
  }
  // What is left over of the last digit carries nothing, and must say so.
  return encodeBase64(bytes) === text ? bytes : undefined;
}

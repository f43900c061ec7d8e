/** In characters; what is longer is nobody's name. */
const longest = 255;

/** What a provider says about somebody, as text that can be stored and shown in a line; empty if it is no text. */
export function profileText(value: unknown): string {
  if (typeof value !== "string") return "";
  const line = value
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return [...line].slice(0, longest).join("");
}

/** What would end a header or hide in one: controls, line separators, and signs that turn the direction of what follows. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

const longest = 200;

/** A text as it can stand in a header: in one line, not too long. */
export function headerText(text: string): string {
  const line = text.replaceAll(unprintable, " ").replaceAll(/ {2,}/g, " ").trim();
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`;
}

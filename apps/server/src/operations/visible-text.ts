/**
 * What a terminal would obey or what changes the order or the lines of a text: control characters (C0, DEL, C1), line
 * and paragraph separators, marks and overrides of direction, and halves of characters.
 */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The text with everything unseen spelled out, so that it is one line and looks like what it is. */
export function visibleText(text: string): string {
  return text.replace(
    unseen,
    (character) => `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, "0")}`,
  );
}

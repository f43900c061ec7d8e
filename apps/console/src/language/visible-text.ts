/**
 * Characters without a sign of their own: controls, and marks that turn the direction of a text. A name with them could look
 * like another one. Joiners are not among them, which some scripts need.
 */
const unseen = /(?![\t\n])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** A text from the database as a person sees it: each character without a sign has one. */
export function visibleText(text: string): string {
  return text.replaceAll(unseen, (character) => {
    const code = character.charCodeAt(0);
    // Unicode has signs of the first controls.
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

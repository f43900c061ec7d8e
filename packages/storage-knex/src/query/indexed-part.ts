/** The start of a text, as much as an index of strings holds. */
export function indexedPart(text: string, indexedCharacters: number): string {
  // A character is one or two units.
  return text.length <= indexedCharacters
    ? text
    : Array.from(text.slice(0, 2 * indexedCharacters))
        .slice(0, indexedCharacters)
        .join("");
}

/** Whether what an index holds is enough to compare with this text. */
export function isShort(text: string, indexedCharacters: number): boolean {
  return (
    text.length < indexedCharacters || (text.length < 2 * indexedCharacters && [...text].length < indexedCharacters)
  );
}

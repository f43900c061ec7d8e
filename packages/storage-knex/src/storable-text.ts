const unstorable = /[\0\p{Surrogate}]/u;

/**
 * Whether a text can be in the database at all. A zero character is refused by it, and half a surrogate pair would
 * arrive as another character; look-ups for such a text find nothing without asking.
 */
export function isStorableText(text: string): boolean {
  return !unstorable.test(text);
}

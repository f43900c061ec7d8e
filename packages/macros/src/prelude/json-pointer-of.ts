/** The JSON pointer in a fragment such as `#/a%20b/0`. */
export function jsonPointerOf(fragment: string): string {
  const pointer = fragment.slice(1);
  try {
    return decodeURI(pointer) || "/";
  } catch {
    return pointer;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON nests deeper than `deepest`. Reads the text alone: what is too deep is never built. */
export function isDeeper(json: string, deepest: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (character === QUOTE) {
      index += 1;
      for (
        let inside = json.charCodeAt(index);
        inside !== QUOTE && index < json.length;
        inside = json.charCodeAt(index)
      ) {
        index += inside === BACKSLASH ? 2 : 1;
      }
    } else if (character === 0x5b || character === 0x7b) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
  return false;
}

/** Quotes an argument for a shell. */
export function quoted(argument: string): string {
  return /^[\w./@:-]+$/.test(argument) ? argument : `"${argument.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

/** An argument as a shell takes it. */
export function quoted(argument: string): string {
  return /^[\w./@:-]+$/.test(argument) ? argument : `"${argument.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

/** Where an error was thrown that is none of the kit's: the innermost places. */
export function originOf(error: unknown): string[] {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return frames.slice(0, 3).map((frame) => frame.trim().replace(/^at /, ""));
}

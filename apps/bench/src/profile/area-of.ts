/** Whose code a place of a profile is: one of our packages, a package of others, Node, or the engine and the system below. */
export function areaOf(where: string): string {
  const [, file] = where.split("  ");
  if (file === undefined) return where === "(garbage collector)" ? "garbage collector" : "native code and system calls";
  if (file.startsWith("node:")) return "Node";
  return /^(?:packages|apps)\/[^/]+/.exec(file)?.[0] ?? (file.split("/")[0] || "other");
}

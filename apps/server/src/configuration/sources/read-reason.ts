const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["EACCES", "may not be read"],
  ["EPERM", "may not be read"],
  ["EISDIR", "is a directory"],
]);

/** Why a file could not be read: completes "the file …". */
export function readReason(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? "");
  return reasons.get(code) ?? `cannot be read${code === "" ? "" : ` (${code})`}`;
}

/**
 * A place in JSON, for the detail of an error. Names of members may be the client's text: they are shortened, and hold
 * nothing that a terminal or a log would act upon.
 */
export function jsonPointer(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    String(part)
      .slice(0, 64)
      .replaceAll(/[^\x20-\x7e]/g, "?"),
  );
  return `/${parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
}

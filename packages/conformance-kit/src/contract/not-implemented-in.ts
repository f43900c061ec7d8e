/** The first error named `NotImplemented` in an error's chain of causes. */
export function notImplementedIn(error: unknown): Error | undefined {
  for (
    let each = error as Partial<Error> | null | undefined;
    each !== null && each !== undefined;
    each = each.cause as Partial<Error>
  ) {
    if (each.name === "NotImplemented") return each as Error;
  }
  return undefined;
}

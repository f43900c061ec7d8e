/** The first error named `NotWritten` in an error's chain of causes. */
export function unwrittenIn(error: unknown): Error | undefined {
  for (
    let each = error as Partial<Error> | null | undefined;
    each !== null && each !== undefined;
    each = each.cause as Partial<Error>
  ) {
    if (each.name === "NotWritten") return each as Error;
  }
  return undefined;
}

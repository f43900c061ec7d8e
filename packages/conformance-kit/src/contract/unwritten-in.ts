/** What an error, or what lies beneath it, says is still to be written: any error that is called `NotWritten`. */
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

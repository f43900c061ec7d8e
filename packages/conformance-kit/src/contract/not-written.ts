/** Whether an error says that something of the adapter is still to be written: any that is called `NotWritten`. */
export function isNotWritten(error: unknown): error is Error {
  return (error as { readonly name?: unknown } | null | undefined)?.name === "NotWritten";
}

/** An adapter does not do what the contract says. */
export class ConformanceError extends Error {
  override readonly name = "ConformanceError";
}

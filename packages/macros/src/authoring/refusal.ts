/** A refusal with a code of the error catalogue. The services throw it, and so does `refuse`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  readonly #code: number;

  constructor(code: number, detail = "") {
    super(detail);
    this.code = code;
    this.#code = code;
  }

  /** The code of a refusal, `undefined` for any other value. It calls no code of the thrown value. */
  static codeOf(thrown: unknown): number | undefined {
    return typeof thrown === "object" && thrown !== null && #code in thrown ? thrown.#code : undefined;
  }
}

/** Ends the request with an error code of the catalogue. `detail` is shown to clients if debug messages are enabled. */
export function refuse(code: number, detail?: string): never {
  throw new Refusal(code, detail);
}

/** A code of the catalogue that was thrown: by the server, to be caught or let pass, or by `refuse`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  readonly #code: number;

  constructor(code: number, detail = "") {
    super(detail);
    this.code = code;
    this.#code = code;
  }

  /** The code with which `thrown` was made, `undefined` when it is no refusal. No code of its own is run for that. */
  static codeOf(thrown: unknown): number | undefined {
    return typeof thrown === "object" && thrown !== null && #code in thrown ? thrown.#code : undefined;
  }
}

/** Has the request answered with a code of the catalogue. `detail` says what exactly is wrong; clients see it where debug messages are on. */
export function refuse(code: number, detail?: string): never {
  throw new Refusal(code, detail);
}

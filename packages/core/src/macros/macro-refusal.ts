import type { ErrorCode } from "../errors/index.ts";

/** A module wants its request answered with a code of the catalogue: `refuse(code, detail)`, or what the host threw and it let pass. */
export class MacroRefusal extends Error {
  override readonly name = "MacroRefusal";
  readonly code: ErrorCode;
  /** Words of the module, for `debugMessage` and the log. */
  readonly detail: string | undefined;

  constructor(code: ErrorCode, detail?: string) {
    super(`${code}${detail === undefined ? "" : ` ${detail}`}`);
    this.code = code;
    this.detail = detail;
  }
}

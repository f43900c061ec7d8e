/** `error`: the server, or a database, does not work. `warning`: it works, but probably not as intended. */
export type FindingLevel = "ok" | "warning" | "error";

export interface Finding {
  /** Name of the check, such as `schema`. */
  readonly check: string;
  readonly level: FindingLevel;
  /** A sentence for the operator. Contains no secret. */
  readonly finding: string;
  /** The remedy; `null` if none is needed. */
  readonly fix: string | null;
}

export function found(check: string, finding: string): Finding {
  return { check, level: "ok", finding, fix: null };
}

/** The findings of a check, or one that all is well. */
export function orAllWell(findings: readonly Finding[], well: Finding): readonly Finding[] {
  return findings.length > 0 ? findings : [well];
}

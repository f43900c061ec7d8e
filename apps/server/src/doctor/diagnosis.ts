/** `error`: the server, or a database, does not work. `warning`: it works, but probably not as intended. */
export type DiagnosisLevel = "ok" | "warning" | "error";

export interface Diagnosis {
  /** Name of the check, such as `schema`. */
  readonly check: string;
  readonly level: DiagnosisLevel;
  /** A sentence for the operator. Contains no secret. */
  readonly finding: string;
  /** The remedy; `null` if none is needed. */
  readonly fix: string | null;
}

export function found(check: string, finding: string): Diagnosis {
  return { check, level: "ok", finding, fix: null };
}

/** The findings of a check, or one that all is well. */
export function orAllWell(findings: readonly Diagnosis[], well: Diagnosis): readonly Diagnosis[] {
  return findings.length > 0 ? findings : [well];
}

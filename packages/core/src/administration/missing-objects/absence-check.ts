/** A finding about one thing that decides whether a device gets an object. */
export interface AbsenceCheck {
  /** Such as `rights`. */
  readonly check: string;
  /** `cause`: explains that the device does not have the object. `unknown`: cannot be decided. */
  readonly level: "ok" | "cause" | "unknown";
  /** A sentence. Contains nothing of the content of the object. */
  readonly finding: string;
  /** The next step; `null` if none is needed. */
  readonly fix: string | null;
}

export function ok(check: string, finding: string): AbsenceCheck {
  return { check, level: "ok", finding, fix: null };
}

export function cause(check: string, finding: string, fix: string | null): AbsenceCheck {
  return { check, level: "cause", finding, fix };
}

import type { ServiceError } from "./service-error.ts";

/**
 * The question of a check and its answer, for operators. Both are sentences of constants and of existing things: names of
 * classes, app names and app keys that exist. Never input of the client, which may be a password in the wrong field.
 */
export interface Finding {
  readonly asked: string;
  readonly found: string;
  /** The account that the check is about, if it exists. */
  readonly accountId?: string;
  /** Whether the detail of the error is not stored, because it may contain anything. */
  readonly hidesDetail?: true;
}

/**
 * Reads findings after the response, so that the time of a refusal does not depend on them. Takes the `Database` of the
 * request. Its errors are ignored.
 */
export type FindingReader = (database: never) => Promise<readonly Finding[]>;

const noted = new WeakMap<Error, readonly (Finding | FindingReader)[]>();

/**
 * Notes what the refusing check found, and returns the error: `throw explained(new ServiceError(318), { asked, found })`.
 * Findings that are noted later belong to a caller, so they come first.
 */
export function explained<E extends ServiceError>(error: E, ...findings: readonly (Finding | FindingReader)[]): E {
  noted.set(error, [...findings, ...(noted.get(error) ?? [])]);
  return error;
}

/** Errors wrapped into one another. */
const maxDepth = 5;

/** The findings of an error, or of the error that caused it. */
export function findingsOf(error: unknown): readonly (Finding | FindingReader)[] {
  let each = error;
  for (let depth = 0; depth < maxDepth && each instanceof Error; depth += 1) {
    const findings = noted.get(each);
    if (findings !== undefined) return findings;
    each = each.cause;
  }
  return [];
}

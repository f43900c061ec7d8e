import type { ErrorCode } from "../errors/error-code.ts";
import { ServiceError } from "../errors/service-error.ts";

/** Refusals that tell somebody that a guess was wrong: they count as failures, and all others do not. */
const countedCodes = [302, 326, 339, 342] as const satisfies readonly ErrorCode[];

export type CountedCode = (typeof countedCodes)[number];

export function isCounted(error: unknown): error is ServiceError & { readonly code: CountedCode } {
  return error instanceof ServiceError && countedCodes.some((code) => code === error.code);
}

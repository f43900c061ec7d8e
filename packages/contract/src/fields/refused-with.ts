import type { ErrorCode } from "@sallyport/core/errors";

/** Parameters of a zod check whose failure is answered with this code of the catalogue. */
export function refusedWith(code: ErrorCode): { error: () => string } {
  return { error: () => String(code) };
}

import type { ErrorCode } from "@sallyport/storage";
import { credentialErrors } from "./credential-errors.ts";
import type { ErrorTexts } from "./error-text.ts";
import { operationErrors } from "./operation-errors.ts";
import { requestErrors } from "./request-errors.ts";
import { serverErrors } from "./server-errors.ts";

/** The texts of all codes. A missing code fails the type check. */
export const errorTexts: ErrorTexts = { ...credentialErrors, ...requestErrors, ...operationErrors, ...serverErrors };

/** Next steps for a code, as plain text. */
export function nextSteps(code: ErrorCode): string[] {
  // Links lead nowhere outside the reference.
  return (errorTexts[code].actions ?? []).map((action) =>
    action
      .replaceAll(/ See \[[^\]]*\]\([^)]*\)\./g, "")
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll("`", ""),
  );
}

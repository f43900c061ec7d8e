import { credentialErrors } from "./credential-errors.ts";
import type { ErrorTexts } from "./error-text.ts";
import { operationErrors } from "./operation-errors.ts";
import { requestErrors } from "./request-errors.ts";
import { serverErrors } from "./server-errors.ts";

/** The texts of all codes. A missing code fails the type check. */
export const errorTexts: ErrorTexts = { ...credentialErrors, ...requestErrors, ...operationErrors, ...serverErrors };

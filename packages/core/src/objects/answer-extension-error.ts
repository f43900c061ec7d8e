import { ServiceError } from "../errors/service-error.ts";

/** Who builds on an answer did not let it be written; with the code of the failure that is its cause. */
export class AnswerExtensionError extends ServiceError {
  constructor(cause: ServiceError) {
    super(cause.code, { cause, ...(cause.detail === undefined ? {} : { detail: cause.detail }) });
  }
}

import { ServiceError } from "../errors/service-error.ts";

/**
 * A write was prepared under a model that is no longer current; nothing has changed. It can be prepared again under the
 * model of now. Towards clients it is 706.
 */
export class OutdatedModelError extends ServiceError {
  constructor(cause?: unknown) {
    super(706, {
      detail: "The model was changed meanwhile.",
      retryAfter: 1,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

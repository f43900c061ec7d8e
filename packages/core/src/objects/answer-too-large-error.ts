import { ServiceError } from "../errors/service-error.ts";

/** What was asked for cannot be brought into memory, or written, within the bounds of one answer: 307. */
export class AnswerTooLargeError extends ServiceError {
  constructor(reason = "The answer would be too large") {
    super(307, { detail: `${reason}: ask for fewer objects on a page, for less depth, or for fewer fields.` });
  }
}

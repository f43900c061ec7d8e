import { ServiceError } from "@sallyport/core";
import type { Step } from "./step.ts";

/** 706 when more requests are in work than the server takes on, or the client's network leaves too many answers unread. */
export const shedLoad: Step = ({ origin }, { load, untakenAnswers }) => {
  if (load.isOverloaded || untakenAnswers.isFull(origin.network)) throw new ServiceError(706, { retryAfter: 1 });
};

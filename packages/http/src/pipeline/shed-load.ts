import { ServiceError } from "@sallyport/core";
import { leavesTooMuchUnread } from "../envelope/answer.ts";
import type { Step } from "./step.ts";

/** 706 when more requests are in work than the server takes on, or the client's network leaves too much unread. */
export const shedLoad: Step = ({ origin, untakenBytes }, { load }) => {
  if (load.isOverloaded) throw new ServiceError(706, { retryAfter: 1 });
  if (untakenBytes.isFull(origin.network)) throw leavesTooMuchUnread();
};

import { ServiceError } from "@sallyport/core";
import type { Step } from "./step.ts";

/** 706 when more requests are in work than the server takes on. */
export const shedLoad: Step = (_exchange, { load }) => {
  if (load.isOverloaded) throw new ServiceError(706, { retryAfter: 1 });
};

import { ServiceError } from "@sallyport/core";
import { isPreflight } from "../cors/preflight.ts";
import type { Step } from "./step.ts";

/** 305 with `Allow` unless the path takes the method; a browser's preflight may go on. */
export const findMethod: Step = (exchange) => {
  const methods = exchange.matched?.methods ?? new Map();
  const route = methods.get(exchange.request.method ?? "");
  if (route !== undefined) {
    exchange.route = route;
    return;
  }
  exchange.answerHeaders["Allow"] = [...methods.keys()].join(", ");
  exchange.isPreflight = isPreflight(exchange.request);
  if (!exchange.isPreflight) throw new ServiceError(305);
};

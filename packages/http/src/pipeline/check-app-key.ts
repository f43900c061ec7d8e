import { listingsOf, ServiceError } from "@sallyport/core";
import { corsHeaders } from "../cors/cors-headers.ts";
import { isAbsent } from "../credentials/presented-credentials.ts";
import type { Step } from "./step.ts";

/** 100 without an app key, 101 for one that is unknown, disabled or ambiguous. */
export const checkAppKey: Step = (exchange) => {
  if (exchange.access === "public" || exchange.access === "returning") return;
  if (isAbsent(exchange.credentials.appKey)) throw new ServiceError(100);
  const { appKey } = exchange.admission;
  if (appKey === null || !appKey.enabled) throw new ServiceError(101);
  const { origin } = exchange.request.headers;
  if (origin !== undefined && listingsOf(origin).some((listed) => appKey.origins.includes(listed)))
    Object.assign(exchange.answerHeaders, corsHeaders(origin));
};

import { listingsOf, ServiceError } from "@sallyport/core";
import { preflightHeaders } from "../cors/cors-headers.ts";
import { writeSuccess } from "../envelope/success.ts";
import type { Step } from "./step.ts";

/** Answers a browser's preflight if any app key of the database lists the origin, else 305 like any other `OPTIONS`. */
export const answerPreflight: Step = async (exchange) => {
  if (!exchange.isPreflight) return;
  const origin = exchange.request.headers.origin as string;
  const { appKeys } = exchange.database.storage.repositories;
  const listed = await Promise.all(listingsOf(origin).map((listing) => appKeys.listsOrigin(listing)));
  if (!listed.includes(true)) throw new ServiceError(305);
  Object.assign(exchange.answerHeaders, preflightHeaders(origin));
  writeSuccess(exchange, { data: {} });
};

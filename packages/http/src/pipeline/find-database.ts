import { ServiceError } from "@sallyport/core";
import type { Step } from "./step.ts";

/** 705 while the alias has no storage settings. */
export const findDatabase: Step = (exchange, { databases }) => {
  const database = databases.get(exchange.alias ?? "");
  if (!database) throw new ServiceError(705);
  exchange.database = database;
};

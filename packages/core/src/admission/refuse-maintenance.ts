import { ServiceError } from "../errors/service-error.ts";
import type { Admission } from "./admission.ts";

/** 706 while the maintenance switch is on. */
export function refuseMaintenance({ maintenance }: Pick<Admission, "maintenance">): void {
  if (maintenance) throw new ServiceError(706, { retryAfter: 60 });
}

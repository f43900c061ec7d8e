import { ServiceError } from "../errors/service-error.ts";

/** What an import refuses in which something comes twice that there can be once, or is not what it is said to be: 307. */
export function contradictingRecords(cause?: unknown): ServiceError {
  return new ServiceError(307, {
    detail: "The records of the archive contradict one another.",
    ...(cause === undefined ? {} : { cause }),
  });
}

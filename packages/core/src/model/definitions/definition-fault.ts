import { ServiceError } from "../../errors/service-error.ts";

/** What is wrong with the definition of a class, and where: 307 with the JSON pointer and the reason. */
export function definitionFault(pointer: string, reason: string): ServiceError {
  return new ServiceError(307, { detail: `at ${pointer}: ${reason}` });
}

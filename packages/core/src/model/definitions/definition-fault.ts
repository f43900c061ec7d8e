import { ServiceError } from "../../errors/service-error.ts";

/** What is wrong with the definition of a class, and where: 307 with the JSON pointer and the reason. */
export class DefinitionFault extends ServiceError {
  constructor(
    readonly pointer: string,
    readonly reason: string,
  ) {
    super(307, { detail: `at ${pointer}: ${reason}` });
  }
}

export function definitionFault(pointer: string, reason: string): DefinitionFault {
  return new DefinitionFault(pointer, reason);
}

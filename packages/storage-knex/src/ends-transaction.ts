import { OutdatedModelError, ServiceError } from "@sallyport/core";

/** Whether nothing can be done in a transaction after this failure, whatever part it happened in: no database, or no more time. */
export function endsTransaction(failure: unknown): boolean {
  if (!(failure instanceof ServiceError) || failure instanceof OutdatedModelError) return false;
  return failure.code === 704 || failure.code === 706;
}

import { ServiceError } from "../errors/service-error.ts";

/** Numbers that can be reserved at once. */
export const largestReservation = 1_000_000;

const beyondNumbers = 2n ** 64n;

/** Refuses what would give numbers out twice: 799. */
export function assertReservation(count: number): void {
  if (!Number.isInteger(count) || count < 1 || count > largestReservation) {
    throw new ServiceError(799, { detail: "So many message numbers cannot be reserved." });
  }
}

/** Refuses what no counter block can hold: 799. */
export function assertMessageNumber(number: bigint): void {
  if (number < 0n || number >= beyondNumbers)
    throw new ServiceError(799, { detail: "There is no such message number." });
}

export type { Claim } from "./claim.ts";
export { type BeforeOpening, type Entry, Gate } from "./gate.ts";

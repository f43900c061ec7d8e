export type { Claim, Proof } from "./claim.ts";
export { type BeforeOpening, type Entry, Gate } from "./gate.ts";

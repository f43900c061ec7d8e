export * from "./verify-database.ts";
export type { Invariant, Violation } from "./violation.ts";

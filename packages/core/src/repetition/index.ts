export * from "./execute-once.ts";
export { forgetResults, type KeptResult, keptError, keptResult } from "./kept-results.ts";

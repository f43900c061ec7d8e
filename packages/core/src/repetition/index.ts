export * from "./create-once.ts";
export * from "./execute-once.ts";
export { forgetResults, type StoredResult, storedError, storedResult } from "./stored-results.ts";

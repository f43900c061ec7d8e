export * from "./digests.ts";
export * from "./recent.ts";

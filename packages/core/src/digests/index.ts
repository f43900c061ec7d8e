export * from "./digests.ts";
export * from "./random-uuid.ts";
export * from "./recent.ts";

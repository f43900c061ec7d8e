export * from "./digests.ts";
export * from "./lru-cache.ts";

export * from "./digests/index.ts";
export * from "./entities/index.ts";
export * from "./errors/index.ts";
export * from "./kernel/index.ts";
export * from "./ports/index.ts";
export * from "./repositories/writes/index.ts";

export type { Digest } from "./digest.ts";
export type { Digests } from "./digests.ts";
export { Recent } from "./recent.ts";
export type { RandomSource } from "./random-source.ts";

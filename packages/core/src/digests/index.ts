export type { Digest } from "./digest.ts";
export type { Digests } from "./digests.ts";
export type { RandomSource } from "./random-source.ts";

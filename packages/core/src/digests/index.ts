export type { Digest, Digests, RandomSource } from "./digests.ts";
export { Recent } from "./recent.ts";

export type { Digest, Digests, RandomSource } from "./digests.ts";
export { randomUuid } from "./random-uuid.ts";
export { Recent } from "./recent.ts";

export type { Digest, Digests, RandomSource } from "./digests.ts";
export { Recent } from "./recent.ts";
export { randomUuid } from "./random-uuid.ts";

export type { OneTimeKind, OneTimePayload, OneTimeRepository, OneTimeSecret } from "./one-time-repository.ts";
export { randomUuid } from "./random-uuid.ts";

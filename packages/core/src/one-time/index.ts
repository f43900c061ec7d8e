export type { OneTimeKind, OneTimeRepository, OneTimeSecret } from "./one-time-repository.ts";

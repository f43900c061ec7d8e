export type { Change } from "./change.ts";
export { beforeAllChanges, type ChangePosition } from "./change-position.ts";
export type { ChangeRepository } from "./change-repository.ts";

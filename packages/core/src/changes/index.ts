export { beforeAllChanges, type Change, type ChangePosition, type ChangeRepository } from "./change-repository.ts";

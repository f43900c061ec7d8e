export { type EarlierRecord, earlierSections, fromEarlier } from "./earlier-records.ts";
export { isEmptyDatabase } from "./is-empty-database.ts";
export { secretKinds } from "./secret-kinds.ts";

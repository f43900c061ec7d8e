export * from "./earlier-records.ts";
export * from "./is-empty-database.ts";
export * from "./secret-kinds.ts";

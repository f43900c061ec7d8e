export { type Cursor, CursorSealing, type CursorSealingParts } from "./cursor.ts";
export * from "./resolve-own-filter.ts";
export * from "./resolve-query.ts";
export * from "./slow-queries.ts";

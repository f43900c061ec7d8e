export { type Cursor, CursorSealing, type CursorSealingParts } from "./cursor.ts";
export { type QueryRequest, type QuerySource, resolveQuery } from "./resolve-query.ts";
export { type SlowQueries, type TimedQuery, unindexedAttributes } from "./slow-queries.ts";

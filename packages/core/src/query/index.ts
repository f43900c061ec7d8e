export type { Cursor } from "./cursor.ts";
export { CursorSealing, type CursorSealingParts } from "./cursor-sealing.ts";
export type { Comparison, Filter, Scalar } from "./filter.ts";
export type { ObjectPage, ObjectQuery, Page, Position, SortKey } from "./object-query.ts";
export { type QueryRequest, type QuerySource, resolveQuery } from "./resolve-query.ts";
export type { SlowQueries, TimedQuery } from "./slow-queries.ts";
export { unindexedAttributes } from "./unindexed-attributes.ts";
export type { Hop, MetaType, ValuePath, ValueType } from "./value-path.ts";

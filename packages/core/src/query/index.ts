export { type Cursor, CursorSealing, type CursorSealingParts } from "./cursor.ts";
export type {
  Comparison,
  Filter,
  Hop,
  MetaType,
  ObjectPage,
  ObjectQuery,
  Page,
  Position,
  Scalar,
  SortKey,
  ValuePath,
  ValueType,
} from "./object-query.ts";
export { type QueryRequest, type QuerySource, resolveQuery } from "./resolve-query.ts";
export { type SlowQueries, type TimedQuery, unindexedAttributes } from "./slow-queries.ts";

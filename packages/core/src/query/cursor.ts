import { faultAt } from "../errors/fault-at.ts";
import { isObjectId } from "../objects/object-id.ts";
import type { Scalar } from "./filter.ts";
import type { Position, SortKey } from "./object-query.ts";
import { operandOf } from "./parsing/operand.ts";

/** Where a list goes on: behind a position in the order of one query. It comes back from a client. */
export interface Cursor {
  /** Tells the query from others. */
  readonly query: string;
  readonly position: Position;
}

/** Characters that the texts of a position may have together: an address holds no more. */
const mostText = 1_000;

/** The cursor behind a position; `null` when its texts are too long for one. */
export function cursorBehind(position: Position, query: string): Cursor | null {
  const length = position.values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : 0),
    0,
  );
  return length > mostText ? null : { query, position };
}

/** The position behind which a list goes on. A cursor of another query, or one that was made up: 307. */
export function positionOf(cursor: Cursor, query: string, sort: readonly SortKey[]): Position {
  const { values, id } = cursor.position;
  if (cursor.query !== query) throw faultAt("/cursor", "It belongs to another query.");
  if (values.length !== sort.length || !isObjectId(id)) throw faultAt("/cursor", "It is no cursor of this query.");
  return { values: sort.map(({ path: { type } }, index) => valueOf(type, values[index] ?? null)), id };
}

function valueOf(type: SortKey["path"]["type"], value: Scalar | null): Scalar | null {
  if (value === null) return null;
  if (type === "time" || type === "collection") {
    if (type === "time" && Number.isSafeInteger(value)) return value;
    throw faultAt("/cursor", "It is no cursor of this query.");
  }
  return operandOf(type, value, ["cursor"]) as Scalar;
}

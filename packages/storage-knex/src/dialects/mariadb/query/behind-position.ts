import { objectNumber, type Position } from "@sallyport/core";
import { indexedPart, isShort } from "../../../query/query-scope.ts";
import { operand } from "./operands.ts";
import type { OrderColumn } from "./order.ts";
import type { MariadbQueryScope } from "./mariadb-query-scope.ts";

/** A condition on the objects behind a position: that they come later by the first key that differs, or by their number. */
export function isBehind(
  columns: readonly OrderColumn[],
  { values, id }: Position,
  o: string,
  scope: MariadbQueryScope,
): string {
  const [first] = columns;
  const later = columns.reduceRight(
    (rest, column, key) => {
      const place = placeOf(column, values[key] ?? null, scope);
      return `(${place.later} or (${place.equal} and ${rest}))`;
    },
    `${o}.oid > ${scope.parameters.add(objectNumber(id))}`,
  );
  return first === undefined ? later : `${isNotBefore(first, values[0] ?? null, scope)} and ${later}`;
}

/** What all later objects have in common: a search in an index can begin there. */
function isNotBefore(
  { indexed, descending, path }: OrderColumn,
  value: Position["values"][number],
  { parameters, indexedCharacters }: MariadbQueryScope,
): string {
  if (value === null) return descending ? `${indexed} is null` : "true";
  const start = operand(
    parameters,
    path.type,
    typeof value === "string" && path.type === "string" ? indexedPart(value, indexedCharacters) : value,
  );
  return descending ? `(${indexed} <= ${start} or ${indexed} is null)` : `${indexed} >= ${start}`;
}

function placeOf(
  { indexed, whole, descending, path }: OrderColumn,
  value: Position["values"][number],
  { parameters, indexedCharacters }: MariadbQueryScope,
): { later: string; equal: string } {
  if (value === null) return { later: descending ? "false" : `${indexed} is not null`, equal: `${indexed} is null` };
  const sign = descending ? "<" : ">";
  const orNothing = descending ? ` or ${indexed} is null` : "";
  if (path.type !== "string" || isShort(String(value), indexedCharacters)) {
    const given = operand(parameters, path.type, value);
    return { later: `(${indexed} ${sign} ${given}${orNothing})`, equal: `${indexed} = ${given}` };
  }
  const [start, given] = [
    operand(parameters, path.type, indexedPart(String(value), indexedCharacters)),
    operand(parameters, path.type, value),
  ];
  return {
    later: `((${indexed} ${sign}= ${start} and ${whole} ${sign} ${given})${orNothing})`,
    equal: `(${indexed} = ${start} and ${whole} = ${given})`,
  };
}

import { objectNumber, type Position } from "@sallyport/core";
import { indexedPart, isShort, operand } from "./operands.ts";
import type { OrderColumn } from "./order.ts";
import type { QueryScope } from "./query-scope.ts";

/** A condition on the objects behind a position: that they come later by the first key that differs, or by their number. */
export function isBehind(columns: readonly OrderColumn[], { values, id }: Position, o: string, scope: QueryScope): string {
  return columns.reduceRight((rest, column, key) => {
    const place = placeOf(column, values[key] ?? null, scope);
    return `(${place.later} or (${place.equal} and ${rest}))`;
  }, `${o}.oid > ${scope.parameters.add(objectNumber(id))}`);
}

function placeOf({ indexed, whole, descending, path }: OrderColumn, value: Position["values"][number], { parameters }: QueryScope): { later: string; equal: string } {
  if (value === null) return { later: descending ? "false" : `${indexed} is not null`, equal: `${indexed} is null` };
  const sign = descending ? "<" : ">";
  const orNothing = descending ? ` or ${indexed} is null` : "";
  if (path.type !== "string" || isShort(String(value))) {
    const given = operand(parameters, path.type, value);
    return { later: `(${indexed} ${sign} ${given}${orNothing})`, equal: `${indexed} = ${given}` };
  }
  const [start, given] = [operand(parameters, path.type, indexedPart(String(value))), operand(parameters, path.type, value)];
  return {
    later: `((${indexed} ${sign}= ${start} and ${whole} ${sign} ${given})${orNothing})`,
    equal: `(${indexed} = ${start} and ${whole} = ${given})`,
  };
}

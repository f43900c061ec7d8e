import type { JsonValue } from "../../objects/stored-object.ts";
import type { Filter } from "../filter.ts";
import { fault, type Place } from "./fault.ts";
import { operators } from "./operators.ts";
import { type PathSource, resolvePath } from "./resolve-path.ts";

/** Conditions in one query. */
const mostConditions = 500;
/** Filters that stand inside of one another. */
const deepest = 20;

/** Reads the filter of one query as clients write it: 307 for what the model does not know and for too much of it. */
export class WhereParser {
  private conditions = 0;

  constructor(private readonly source: PathSource) {}

  parse(value: unknown, place: Place): Filter {
    return this.filter(value, place, 1);
  }

  private filter(value: unknown, place: Place, depth: number): Filter {
    const members = membersOf(value);
    if (members === null) throw fault(place, "A filter is expected: a JSON object.");
    if (depth > deepest) throw fault(place, `More than ${deepest} filters stand inside of one another.`);
    return allOf(members.map(([name, member]) => this.member(name, member, [...place, name], depth)));
  }

  private member(name: string, value: JsonValue, place: Place, depth: number): Filter {
    switch (name) {
      case "$and":
        return { kind: "all", filters: this.several(value, place, depth) };
      case "$or":
        return { kind: "any", filters: this.several(value, place, depth) };
      case "$not":
        return { kind: "not", filter: this.filter(value, place, depth + 1) };
      default:
        return this.conditionsOf(name, value, place);
    }
  }

  private several(value: JsonValue, place: Place, depth: number): Filter[] {
    if (!Array.isArray(value)) throw fault(place, "An array of filters is expected.");
    return value.map((each: JsonValue, index) => this.filter(each, [...place, index], depth + 1));
  }

  /** A value stands for being equal to it, an object of operators for all of them. */
  private conditionsOf(name: string, value: JsonValue, place: Place): Filter {
    if (name.startsWith("$")) throw fault(place, "There is no such operator.");
    const path = resolvePath(name, place, this.source);
    const members = operatorsOf(value) ?? [["$eq", value] as const];
    return allOf(
      members.map(([operator, operand]) => {
        const at = value === operand ? place : [...place, operator];
        this.conditions += 1;
        if (this.conditions > mostConditions) throw fault(at, `There are more than ${mostConditions} conditions.`);
        const make = operators.get(operator);
        if (make === undefined) throw fault(at, "There is no such operator.");
        return make(path, operand, at);
      }),
    );
  }
}

function allOf(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { kind: "all", filters };
}

/** Any other object is a value. */
function operatorsOf(value: JsonValue): readonly (readonly [string, JsonValue])[] | null {
  const members = membersOf(value);
  return members !== null && members.length > 0 && members.every(([name]) => name.startsWith("$")) ? members : null;
}

function membersOf(value: unknown): readonly (readonly [string, JsonValue])[] | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
}

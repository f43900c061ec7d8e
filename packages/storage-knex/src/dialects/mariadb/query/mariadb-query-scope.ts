import {
  type AttributeType,
  isClassName,
  type JsonValue,
  type ValuePath,
  type ValueType,
  type Visibility,
} from "@sallyport/core";
import { QueryScope } from "../../../query/query-scope.ts";
import { readableCondition } from "../objects/readers.ts";
import type { Tables } from "../tables.ts";
import type { ValueColumns } from "../value-columns.ts";
import { indexedCharacters, pathOf, textOf, valueExpression } from "../value-expression.ts";
import { isAmong, operand } from "./operands.ts";
import type { QueryParameters } from "./query-parameters.ts";

/** What `like` takes for the sign before a character that stands for itself, whatever the mode of the server. */
const escape = "escape '\\\\'";

export class MariadbQueryScope extends QueryScope {
  readonly indexedCharacters = indexedCharacters;

  constructor(
    readonly tables: Tables,
    readonly parameters: QueryParameters,
    visibility: Visibility,
    private readonly columns: ValueColumns,
  ) {
    super(tables.objects, visibility);
  }

  /** The value of an attribute: a column that is indexed, if there is one, or the same value worked out. */
  value(o: string, attribute: string, type: AttributeType): string {
    const column = this.columns.find(attribute, type);
    return column === undefined ? valueExpression(`${o}.attributes`, attribute, type) : `${o}.${column}`;
  }

  /** Whether a column that is indexed holds what stands at a path. */
  isIndexed({ hops, leaf, type }: ValuePath): boolean {
    return hops.length === 0 && this.columns.find(leaf, type) !== undefined;
  }

  readable(o: string): string {
    return readableCondition(o, this.visibility, (value) => this.parameters.add(value));
  }

  /**
   * The version is asked for so that no index holds all that is asked: when the server has sorted what it read from an
   * index alone, it goes on with the values that a column of values had in the last row.
   */
  isOf(o: string, classes: readonly string[]): string {
    if (classes.length === 0) return "false";
    // What the optimizer knows beforehand it plans for.
    const names = classes.map((name) => (isClassName(name) ? `'${name}'` : this.parameters.add(name)));
    return `${o}.class in (${names.join(", ")}) and ${o}.version > 0`;
  }

  leaf(o: string, { leaf, type }: Pick<ValuePath, "leaf" | "type">): readonly [string] | readonly [string, string] {
    switch (type) {
      case "id":
        return [`${o}.oid`];
      case "uuid":
        return [`${o}.uuid`];
      case "class":
        return [`${o}.class`];
      case "time":
        return [`${o}.stored_at`];
      case "string":
        return [this.value(o, leaf, type), textOf(`${o}.attributes`, leaf)];
      default:
        return [this.value(o, leaf, type)];
    }
  }

  operand(type: ValueType, value: JsonValue): string {
    return operand(this.parameters, type, value);
  }

  isAmong(expression: string, type: ValueType, values: readonly JsonValue[]): string {
    return isAmong(this.parameters, expression, type, values);
  }

  isPresent(o: string, attribute: string): string {
    return `json_exists(${o}.attributes, ${pathOf(attribute)})`;
  }

  isLike(expression: string, pattern: string): string {
    return `${expression} like ${this.parameters.add(pattern)} ${escape}`;
  }

  contains(o: string, path: ValuePath, value: string): string {
    const whole = this.whole(o, path);
    if (path.type === "collection") return `json_contains(${whole}, ${this.parameters.add(JSON.stringify(value))})`;
    return `instr(${whole}, ${this.parameters.add(value)}) > 0`;
  }
}

import { type AttributeType, isClassName, type ValuePath, type Visibility } from "@sallyport/core";
import { readableCondition } from "../objects/readers.ts";
import type { Tables } from "../tables.ts";
import type { ValueColumns } from "../value-columns.ts";
import { valueExpression } from "../value-expression.ts";
import type { QueryParameters } from "./query-parameters.ts";

/** What a reference leads to. */
export interface Target {
  readonly alias: string;
  readonly table: string;
  readonly condition: string;
}

/** What the parts of one query share: its tables, its parameters, who asks, and names for the tables it reads. */
export class QueryScope {
  private aliases = 0;
  private readonly joined = new Map<string, Target>();

  constructor(
    readonly tables: Tables,
    readonly parameters: QueryParameters,
    readonly visibility: Visibility,
    private readonly columns: ValueColumns,
  ) {}

  /** The value of an attribute: a column that is indexed, if there is one, or the same value worked out. */
  value(o: string, attribute: string, type: AttributeType): string {
    const column = this.columns.find(attribute, type);
    return column === undefined ? valueExpression(`${o}.attributes`, attribute, type) : `${o}.${column}`;
  }

  /** Whether a column that is indexed holds what stands at a path. */
  isIndexed({ hops, leaf, type }: ValuePath): boolean {
    return hops.length === 0 && this.columns.find(leaf, type) !== undefined;
  }

  /** A condition on the readers of an object. */
  readable(o: string): string {
    return readableCondition(o, this.visibility, (value) => this.parameters.add(value));
  }

  /**
   * That an object is of one of these classes. The version is asked for so that no index holds all that is asked: when the
   * server has sorted what it read from an index alone, it goes on with the values that a column of values had in the last row.
   */
  isOf(o: string, classes: readonly string[]): string {
    if (classes.length === 0) return "false";
    // What the optimizer knows beforehand it plans for.
    const names = classes.map((name) => (isClassName(name) ? `'${name}'` : this.parameters.add(name)));
    return `${o}.class in (${names.join(", ")}) and ${o}.version > 0`;
  }

  /**
   * The live, visible object that a reference leads to: a table under an alias, and the condition on it. `o` is the
   * alias of the object that has the reference. Without classes it may be of any.
   */
  target(o: string, reference: string, classes: readonly string[] | null): Target {
    this.aliases += 1;
    const alias = `t${this.aliases}`;
    const visible = this.visibleAmong(classes);
    const conditions = [`${alias}.oid = ${this.value(o, reference, "reference")}`];
    if (visible !== null) conditions.push(this.isOf(alias, visible));
    if (this.visibility.principals !== null) conditions.push(this.readable(alias));
    return { alias, table: `${this.tables.objects} ${alias}`, condition: conditions.join(" and ") };
  }

  /**
   * Joins what a reference leads to; its alias, whose columns are null where that is nothing. The same reference is
   * joined once.
   */
  join(o: string, reference: string, classes: readonly string[]): string {
    const key = JSON.stringify([o, reference, classes]);
    const known = this.joined.get(key);
    if (known !== undefined) return known.alias;
    const target = this.target(o, reference, classes);
    this.joined.set(key, target);
    return target.alias;
  }

  /** All that was joined, as it follows the table of the objects. */
  get joins(): string {
    return Array.from(this.joined.values(), ({ table, condition }) => ` left join ${table} on ${condition}`).join("");
  }

  private visibleAmong(classes: readonly string[] | null): readonly string[] | null {
    const { classes: visible } = this.visibility;
    if (visible === null || classes === null) return classes ?? (visible === null ? null : [...visible]);
    return classes.filter((name) => visible.has(name));
  }
}

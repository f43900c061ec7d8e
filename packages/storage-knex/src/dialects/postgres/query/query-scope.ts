import { isClassName, type Visibility } from "@sallyport/core";
import { objectNumbers } from "../../../object-numbers.ts";
import { classLiteral, indexExpression } from "../index-expression.ts";
import type { Tables } from "../tables.ts";
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
  private principals: string | undefined;

  constructor(
    readonly tables: Tables,
    readonly parameters: QueryParameters,
    private readonly visibility: Visibility,
  ) {}

  /** A condition on the readers of an object. It is said as a choice also where it is always true, so that both indexes of a class serve it. */
  readable(o: string): string {
    if (this.visibility.principals === null) return `(${o}.readers is null or ${o}.readers is not null)`;
    this.principals ??= this.parameters.add(objectNumbers(this.visibility.principals), "bigint[]");
    return `(${o}.readers is null or ${o}.readers && ${this.principals})`;
  }

  /** That an object is of one of these classes. One class is a literal, so that its indexes serve. */
  isOf(o: string, classes: readonly string[]): string {
    const [only] = classes;
    if (classes.length === 1 && only !== undefined && isClassName(only)) return `${o}.class = ${classLiteral(only)}`;
    return `${o}.class = any (${this.parameters.add([...classes], "text[]")})`;
  }

  /**
   * The live, visible object that a reference leads to: a table under an alias, and the condition on it. `o` is the
   * alias of the object that has the reference. Without classes it may be of any.
   */
  target(o: string, reference: string, classes: readonly string[] | null): Target {
    this.aliases += 1;
    const alias = `t${this.aliases}`;
    const number = indexExpression(this.tables, `${o}.attributes`, reference, "reference");
    const visible = this.visibleAmong(classes);
    const conditions = [`${alias}.oid = ${number}`];
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

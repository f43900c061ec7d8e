import { createHash } from "node:crypto";
import { type AttributeIndex, type AttributeType, isAttributeName, type ValueType } from "@sallyport/core";
import type { SqlRunner } from "../../sql-runner.ts";
import type { Tables } from "./tables.ts";
import { valueColumnDefinition } from "./value-expression.ts";

/** How the names begin of all columns and indexes over values. */
export const valuePrefix = "value_";

/**
 * The column of an attribute of one type in all classes, and its index. The name holds a digest of the definition: what is defined
 * otherwise is something else.
 */
export function valueColumn({ attribute, type }: Pick<AttributeIndex, "attribute" | "type">): string {
  const definition = `${attribute} ${valueColumnDefinition(attribute, type)}`;
  return `${valuePrefix}${createHash("sha256").update(definition).digest("hex").slice(0, 16)}`;
}

/** What tells an index over values from others. */
export function indexKey({ className, attribute, type }: AttributeIndex): string {
  return `${className} ${attribute} ${type}`;
}

/** The list of the indexes over values. */
export function listedIndexes({ valueIndexes }: Tables): string {
  return `select class as className, attribute, type from ${valueIndexes}`;
}

/** Which columns of values queries of this process name: those that have an index, as far as it knows. */
export class ValueColumns {
  private names: ReadonlySet<string> | undefined;

  constructor(private readonly tables: Tables) {}

  /** Reads what others have done, unless it is known. */
  async load(sql: SqlRunner): Promise<void> {
    if (this.names === undefined) await this.read(sql);
  }

  /** Reads what others have done; the keys of all indexes that are there. */
  async read(sql: SqlRunner): Promise<ReadonlySet<string>> {
    const { rows } = await sql.runOnce<AttributeIndex>(listedIndexes(this.tables), []);
    this.know(rows);
    return new Set(rows.map(indexKey));
  }

  know(indexes: readonly AttributeIndex[]): void {
    this.names = new Set(indexes.map(valueColumn));
  }

  /** Somebody has taken a column away. */
  forget(): void {
    this.names = undefined;
  }

  get isEmpty(): boolean {
    return this.names === undefined || this.names.size === 0;
  }

  find(attribute: string, type: ValueType): string | undefined {
    if (this.isEmpty || !isAttributeName(attribute)) return undefined;
    const name = valueColumn({ attribute, type: type as AttributeType });
    return this.names?.has(name) === true ? name : undefined;
  }
}

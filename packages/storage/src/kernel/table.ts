import type { TableDeclaration } from "./kernel.ts";
import type { KeyPart } from "./keys.ts";

/**
 * A table of rows, which are JSON values. Its key and its indexes are functions of the row. An index gives the beginning of each
 * place of the row; the key of the row follows, so that rows of one beginning are in the order of their keys.
 */
export interface Table<Row, Index extends string = never> {
  readonly name: string;
  readonly key: (row: Row) => readonly KeyPart[];
  readonly indexes: Readonly<Record<Index, (row: Row) => readonly (readonly KeyPart[])[]>>;
}

/** Declares a table. The row type is given, the names of the indexes follow. */
export function table<Row>() {
  return <Index extends string = never>(
    name: string,
    key: (row: Row) => readonly KeyPart[],
    indexes = {} as Table<Row, Index>["indexes"],
  ): Table<Row, Index> => ({ name, key, indexes });
}

export function declarationOf({ name, indexes }: Table<never, never>): TableDeclaration {
  return { name, indexes: Object.keys(indexes) };
}

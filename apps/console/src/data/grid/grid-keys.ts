/** A cell of a grid. Row 0 is the header. */
export interface GridCell {
  readonly row: number;
  readonly column: number;
}

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows that PageUp and PageDown move by. */
  readonly pageRows: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** The cell that a key of the grid pattern leads to. `null` for other keys. */
export function movedCell({ row, column }: GridCell, key: Key, { rows, columns, pageRows }: GridSize): GridCell | null {
  const isFar = key.ctrlKey || key.metaKey;
  const targets: Readonly<Record<string, GridCell>> = {
    ArrowUp: { row: isFar ? 0 : row - 1, column },
    ArrowDown: { row: isFar ? rows : row + 1, column },
    ArrowLeft: { row, column: isFar ? 0 : column - 1 },
    ArrowRight: { row, column: isFar ? columns - 1 : column + 1 },
    PageUp: { row: row - pageRows, column },
    PageDown: { row: row + pageRows, column },
    Home: { row: isFar ? 0 : row, column: 0 },
    End: { row: isFar ? rows : row, column: columns - 1 },
  };
  const target = Object.hasOwn(targets, key.key) ? targets[key.key] : undefined;
  if (target === undefined) return null;
  return { row: within(target.row, rows), column: within(target.column, columns - 1) };
}

const within = (value: number, most: number): number => Math.max(0, Math.min(value, most));

/** The cells between the active one and the one where the selection began. The header is never selected. */
export function selectedRange(active: GridCell, anchor: GridCell | null) {
  const other = anchor ?? active;
  const firstRow = Math.max(1, Math.min(active.row, other.row));
  const lastRow = Math.max(active.row, other.row);
  const firstColumn = Math.min(active.column, other.column);
  const lastColumn = Math.max(active.column, other.column);
  const has = (row: number, column: number) =>
    row >= firstRow && row <= lastRow && column >= firstColumn && column <= lastColumn;
  return { firstRow, lastRow, firstColumn, lastColumn, has };
}

import { Text } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import {
  columnOrderingFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { elementScroll, observeElementOffset, useVirtualizer } from "@tanstack/react-virtual";
import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { showFailure } from "../../notices/notices.tsx";
import { Cell } from "./cell.tsx";
import { cellText, type ObjectRow, tableText } from "../cell-text.ts";
import type { ColumnChoice } from "./column-choice.ts";
import type { ValueColumn } from "../columns.ts";
import { isCut } from "../cut-text.ts";
import { type GridCell, movedCell, selectedRange } from "./grid-keys.ts";
import { toggledSort } from "../list-state.ts";
import { containerHeight, contentOffset, scrollOffset } from "./offset-mapping.ts";
import { blockAt, type PastedBlock } from "./pasted-block.ts";
import type { ShownCell } from "./whole-value.tsx";
import classes from "./object-grid.module.css";

const rowHeight = 36;
const headerHeight = 38;
/** Rows before the last one from which on the next page is loaded. */
const lookAhead = 40;

/** Width in px until a person sets one. */
function usualWidth({ type, name }: ValueColumn): number {
  if (name === "~StoreTime") return 190;
  if (type === "number" || type === "date" || type === "collection") return 130;
  return type === "boolean" || type === "id" ? 100 : 190;
}

const features = tableFeatures({
  columnOrderingFeature,
  columnVisibilityFeature,
  columnSizingFeature,
  columnResizingFeature,
});
const helper = createColumnHelper<typeof features, ObjectRow>();

interface ObjectGridProps {
  readonly label: string;
  /** Tells lists of other filters and orders apart. */
  readonly listId: string;
  /** Whether the rows are still those of the former list. */
  readonly isStale: boolean;
  readonly rows: readonly ObjectRow[];
  /** New states of rows that have changed since; `null` for those that no longer match. */
  readonly refreshed: ReadonlyMap<string, ObjectRow | null>;
  readonly columns: readonly ValueColumn[];
  readonly choice: ColumnChoice;
  choose(changed: Partial<ColumnChoice>): void;
  readonly sort: readonly string[];
  onSort(sort: readonly string[]): void;
  readonly hasMore: boolean;
  loadMore(): void;
  readonly firstRow: number;
  onFirstRow(row: number): void;
  /** Reads rows with whole values. */
  readWhole(rows: readonly ObjectRow[]): Promise<readonly ObjectRow[]>;
  /** Shows the whole value of a cell whose text is cut. */
  onShow(cell: ShownCell): void;
  /** Called with texts that are pasted over cells. `undefined` for a list that the person cannot change. */
  readonly onPaste: ((block: PastedBlock) => void) | undefined;
}

/** Rows of a class as an ARIA grid. Only rows that show are elements; more are loaded before the end is reached. */
export function ObjectGrid(props: ObjectGridProps) {
  const {
    label,
    listId,
    isStale,
    rows,
    refreshed,
    columns,
    choice,
    choose,
    sort,
    onSort,
    hasMore,
    loadMore,
    firstRow,
    onFirstRow,
    readWhole,
    onShow,
    onPaste,
  } = props;
  const texts = useTexts();
  const id = useId();
  const scroller = useRef<HTMLDivElement | null>(null);
  const { ref: sizeRef, height } = useElementSize<HTMLDivElement>();
  const [active, setActive] = useState<GridCell>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<GridCell | null>(null);

  const shown = useMemo(
    () => choice.names.flatMap((name) => columns.filter((column) => column.name === name)),
    [choice.names, columns],
  );
  const definitions = useMemo(
    () =>
      columns.map((column) =>
        helper.accessor((row: ObjectRow) => row[column.name], {
          id: column.name,
          size: usualWidth(column),
          minSize: 60,
          maxSize: 1_200,
        }),
      ),
    [columns],
  );
  const visibility = useMemo(
    () => Object.fromEntries(columns.map(({ name }) => [name, choice.names.includes(name)])),
    [columns, choice.names],
  );
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    columnResizeMode: "onChange",
    state: { columnOrder: [...choice.names], columnVisibility: visibility, columnSizing: { ...choice.widths } },
    onColumnSizingChange: (update) =>
      choose({ widths: typeof update === "function" ? update({ ...choice.widths }) : update }),
  });
  const headers = table.getFlatHeaders();
  const width = headers.reduce((sum, header) => sum + header.getSize(), 0);

  const extent = { content: rows.length * rowHeight, viewport: Math.max(0, height - headerHeight) };
  // The virtualizer keeps the functions of the first render.
  const latestExtent = useRef(extent);
  latestExtent.current = extent;
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.["~ObjectID"] ?? index,
    overscan: 12,
    scrollPaddingEnd: headerHeight,
    observeElementOffset: (instance, report) =>
      observeElementOffset(instance, (top, isScrolling) =>
        report(contentOffset(top, latestExtent.current), isScrolling),
      ),
    scrollToFn: (offset, options, instance) =>
      elementScroll(scrollOffset(offset, latestExtent.current), options, instance),
  });
  const items = virtualizer.getVirtualItems();
  const offset = virtualizer.scrollOffset ?? 0;
  /** From a place in the rows to that in the shortened element, see `offset-mapping.ts`. */
  const shift = scrollOffset(offset, extent) - offset;

  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - lookAhead) loadMore();
  }, [hasMore, last, rows.length, loadMore]);

  // The place in the address is restored once for each list, when its rows are there.
  const [restored, setRestored] = useState<string | null>(null);
  const isRestored = restored === listId;
  useEffect(() => {
    if (isRestored || isStale) return;
    if (firstRow >= rows.length && hasMore) loadMore();
    else {
      virtualizer.scrollToOffset(firstRow * rowHeight);
      setRestored(listId);
    }
  }, [isRestored, isStale, firstRow, rows.length, hasMore, loadMore, virtualizer, listId]);
  const top = Math.round(offset / rowHeight);
  useEffect(() => {
    if (!isRestored || top === firstRow) return undefined;
    const timer = setTimeout(() => onFirstRow(top), 200);
    return () => clearTimeout(timer);
  }, [isRestored, top, firstRow, onFirstRow]);

  const activate = (cell: GridCell, extendsRange: boolean) => {
    setAnchor(extendsRange ? (anchor ?? active) : null);
    setActive(cell);
    if (cell.row > 0) virtualizer.scrollToIndex(cell.row - 1, { align: "auto" });
    const element = scroller.current;
    const start = headers.slice(0, cell.column).reduce((sum, header) => sum + header.getSize(), 0);
    const end = start + (headers[cell.column]?.getSize() ?? 0);
    const pinned = headers[0]?.getSize() ?? 0;
    if (element === null || cell.column === 0) return;
    if (start < element.scrollLeft + pinned) element.scrollLeft = start - pinned;
    else if (end > element.scrollLeft + element.clientWidth) element.scrollLeft = end - element.clientWidth;
  };

  const range = selectedRange(active, anchor);
  const stateOf = (row: ObjectRow) => refreshed.get(row["~ObjectID"]) ?? row;
  const copy = async () => {
    const selected = rows.slice(range.firstRow - 1, range.lastRow).map(stateOf);
    const copied = shown.slice(range.firstColumn, range.lastColumn + 1);
    const isWhole = selected.every((row) => !copied.some(({ name }) => isCut(row[name])));
    const whole = isWhole ? selected : await readWhole(selected);
    await navigator.clipboard.writeText(tableText(whole.map((row) => copied.map((column) => cellText(row, column)))));
  };
  const paste = (event: ClipboardEvent) => {
    if (active.row === 0 || onPaste === undefined) return;
    event.preventDefault();
    onPaste(blockAt(event.clipboardData.getData("text/plain"), { rows: rows.map(stateOf), columns: shown }, range));
  };
  /** Shows the whole value of a cut cell. Returns whether it did. */
  const showWhole = ({ row: index, column: place }: GridCell): boolean => {
    const [row, column] = [rows[index - 1], shown[place]];
    if (row === undefined || column === undefined || !isCut(stateOf(row)[column.name])) return false;
    onShow({ row: stateOf(row), column });
    return true;
  };

  const cellId = (row: number, column: number) => `${id}-${row}-${column}`;
  const sortColumn = (column: ValueColumn, isAdded: boolean) => {
    if (column.sortKey !== null) onSort(toggledSort(sort, column.sortKey, isAdded));
  };

  /** Follows the link of the cell, else that of the row. */
  const openObject = () => {
    const linkIn = (column: number) =>
      document.getElementById(cellId(active.row, column))?.querySelector<HTMLAnchorElement>("a");
    (linkIn(active.column) ?? linkIn(0))?.click();
  };

  const changeColumn = (event: KeyboardEvent, step: number) => {
    const column = shown[active.column];
    const header = headers[active.column];
    if (column === undefined || header === undefined) return;
    if (event.shiftKey) {
      choose({ widths: { ...choice.widths, [column.name]: Math.max(60, header.getSize() + step * 20) } });
      return;
    }
    const target = active.column + step;
    if (target < 0 || target >= shown.length) return;
    const names = shown.map(({ name }) => name);
    choose({ names: names.toSpliced(active.column, 1).toSpliced(target, 0, column.name) });
    setActive({ ...active, column: target });
  };

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const column = shown[active.column];
    const arrow = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (active.row === 0 && event.altKey && arrow !== 0) changeColumn(event, arrow);
    else if ((event.ctrlKey || event.metaKey) && event.key === "c") {
      if (active.row === 0 || getSelection()?.isCollapsed === false) return;
      copy().catch((error: unknown) => showFailure(texts.objects.copyFailed, error));
    } else if (event.key === " " && showWhole(active)) {
      // It is shown. Below, the page is kept from scrolling.
    } else if (event.key === "Enter" && active.row === 0 && column !== undefined) sortColumn(column, event.shiftKey);
    else if (event.key === "Enter") openObject();
    else {
      const pageRows = Math.max(1, Math.floor(extent.viewport / rowHeight) - 1);
      const moved = movedCell(active, event, { rows: rows.length, columns: shown.length, pageRows });
      if (moved === null) return;
      activate(moved, event.shiftKey);
    }
    event.preventDefault();
  };

  return (
    <div
      ref={useMergedRef(scroller, sizeRef)}
      className={classes["grid"]}
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-colcount={shown.length}
      aria-multiselectable
      aria-busy={isStale}
      aria-activedescendant={cellId(active.row, active.column)}
      aria-describedby={`${id}-keys`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPaste={paste}
    >
      <div className={classes["header"]} role="row" aria-rowindex={1} style={{ width, height: headerHeight }}>
        {headers.map((header, index) => {
          const column = shown[index];
          if (column === undefined) return null;
          const place = sort.findIndex((key) => key.replace(/^-/, "") === column.sortKey);
          const direction = place < 0 ? "none" : sort[place]?.startsWith("-") ? "descending" : "ascending";
          return (
            <div
              key={column.name}
              id={cellId(0, index)}
              role="columnheader"
              aria-colindex={index + 1}
              {...(column.sortKey === null ? {} : { "aria-sort": direction })}
              className={classes["head"]}
              data-active={active.row === 0 && active.column === index}
              data-type={column.type}
              data-pinned={index === 0}
              data-sortable={column.sortKey !== null}
              style={{ width: header.getSize() }}
              onClick={(event) => {
                setActive({ row: 0, column: index });
                sortColumn(column, event.shiftKey);
              }}
            >
              <Text size="sm" fw={600} truncate title={column.name}>
                {texts.objects.meta(column.name) ?? column.name}
              </Text>
              {direction === "ascending" && <IconArrowUp size={14} aria-hidden />}
              {direction === "descending" && <IconArrowDown size={14} aria-hidden />}
              {place >= 0 && sort.length > 1 && <Text size="xs">{place + 1}</Text>}
              <span
                aria-hidden
                className={classes["resizer"]}
                onMouseDown={header.getResizeHandler()}
                onTouchStart={header.getResizeHandler()}
                onClick={(event) => event.stopPropagation()}
                onDoubleClick={() => header.column.resetSize()}
              />
            </div>
          );
        })}
      </div>
      <div className={classes["body"]} role="rowgroup" style={{ width, height: containerHeight(extent) }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const renewed = refreshed.get(row["~ObjectID"]);
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className={classes["row"]}
              data-even={index % 2 === 1}
              data-state={renewed === undefined ? undefined : renewed === null ? "gone" : "changed"}
              style={{ height: rowHeight, transform: `translateY(${start + shift}px)` }}
            >
              {shown.map((column, place) => (
                <div
                  key={column.name}
                  id={cellId(index + 1, place)}
                  role="gridcell"
                  aria-colindex={place + 1}
                  aria-selected={range.has(index + 1, place)}
                  className={classes["cell"]}
                  data-type={column.type}
                  data-pinned={place === 0}
                  data-active={active.row === index + 1 && active.column === place}
                  style={{ width: headers[place]?.getSize() ?? usualWidth(column) }}
                  onDoubleClick={() => showWhole({ row: index + 1, column: place })}
                  onMouseDown={(event) => activate({ row: index + 1, column: place }, event.shiftKey)}
                  onMouseEnter={(event) => {
                    if (event.buttons === 1 && active.row > 0) activate({ row: index + 1, column: place }, true);
                  }}
                >
                  <Cell row={renewed ?? row} column={column} isTitle={place === 0} />
                </div>
              ))}
            </div>
          );
        })}
      </div>
      <p id={`${id}-keys`} hidden>
        {texts.objects.gridKeys}
      </p>
    </div>
  );
}

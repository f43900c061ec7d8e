import type { Run } from "../migrations/migrator.ts";
import type { ReadTable } from "./archived-table.ts";

/** Neighbours in a table, by their keys. */
export interface Span {
  readonly first: string;
  readonly last: string;
}

interface SpanSize {
  /** No further row behind so many bytes. */
  readonly bytes: number;
  /** Rows at most. */
  readonly rows: number;
  /** Spans that one statement asks for. */
  readonly atOnce: number;
}

/** What is put together as one text is small enough for memory that the database has used just before: new memory costs as much as the text. */
const usual: SpanSize = { bytes: 131_072, rows: 250, atOnce: 8 };
/** Of rows that are all looked at for each span. */
const fewer: SpanSize = { bytes: 1_048_576, rows: 2_000, atOnce: 1 };
/** Rows that are cut by one statement. */
const rowsAtOnce = 16_000;

/** A whole table as spans, some at a time, and never none. How large rows are is looked at before any is written out. */
export async function* readSpans(run: Run, table: ReadTable): AsyncGenerator<Span[]> {
  const size = table.key.isExpression === true ? fewer : usual;
  const text = spansText(table, size);
  const ask = (after: string | null) => {
    const answer = run<Span>({ text, values: [after] });
    // Whoever stops early does not await it.
    answer.catch(() => {});
    return answer;
  };
  for (let next = ask(null); ; ) {
    const { rows } = await next;
    const end = rows.at(-1);
    if (end === undefined) return;
    next = ask(end.last);
    for (let start = 0; start < rows.length; start += size.atOnce) yield rows.slice(start, start + size.atOnce);
  }
}

/** The spans of the rows behind a key (1), or of the first ones. A row counts enough for their number to bound a span as well. */
function spansText({ rows, key: { column, type }, size }: ReadTable, most: SpanSize): string {
  return `select min(key)::text as first, max(key)::text as last
    from (
      select key, (sum(size) over (order by key rows unbounded preceding) - size)::bigint / ${most.bytes} as span
      from (
        select ${column} as key, greatest(${size}, ${Math.ceil(most.bytes / most.rows)}) as size
        from ${rows} r where $1::${type} is null or ${column} > $1::${type} order by ${column} limit ${rowsAtOnce}
      ) next
    ) cut
    group by span order by span`;
}

import { setImmediate as turn } from "node:timers/promises";
import type { Run } from "../connection.ts";
import type { TableReader } from "./archived-tables.ts";

/** Statements in flight while lines are processed. */
const statementsAhead = 2;

/**
 * The lines of a table in order, in non-empty batches, with read-ahead. The consumer must let the connection run
 * between batches. The database returns one text per key range: a result row per line would cost the driver more than
 * the database.
 */
export async function* readLines(run: Run, table: TableReader): AsyncGenerator<string[]> {
  const text = linesText(table);
  const answers = readAhead(readRanges(run, table), statementsAhead, (ranges) =>
    run<{ readonly lines: string }>({
      text,
      values: [ranges.map(({ first }) => first), ranges.map(({ last }) => last)],
    }),
  );
  for await (const { rows } of answers) {
    for (const { lines } of rows) {
      // The consumer can block the event loop until it finishes a batch.
      await turn();
      yield lines.split("\n");
    }
  }
}

/**
 * One text per key range, from the keys $1 to the keys $2. Rows arrive in key order; an explicit order in the aggregate
 * would sort them again.
 */
function linesText({ rows, key: { column, type }, line }: TableReader): string {
  return `select (
      select string_agg(${line}, E'\\n') from (select * from ${rows} r where ${column} between span.first and span.last order by ${column}) part
    ) as lines
    from unnest($1::${type}[], $2::${type}[]) as span (first, last)`;
}

/** Requests each item and returns the answers in order, with this many requests ahead. */
async function* readAhead<Item, Answer>(
  items: AsyncIterable<Item>,
  max: number,
  request: (item: Item) => Promise<Answer>,
): AsyncGenerator<Answer> {
  const pending: Promise<Answer>[] = [];
  for await (const item of items) {
    const answer = request(item);
    // A consumer that stops early does not await it.
    answer.catch(() => {});
    pending.push(answer);
    if (pending.length > max) yield await (pending.shift() as Promise<Answer>);
  }
  for (const answer of pending) yield await answer;
}

/** A range of keys in a table. */
interface KeyRange {
  readonly first: string;
  readonly last: string;
}

interface RangeSize {
  /** A range ends once it has this many bytes. */
  readonly bytes: number;
  /** Maximum number of rows. */
  readonly rows: number;
  /** Ranges per statement. */
  readonly atOnce: number;
}

/** Ranges small enough to reuse database memory: allocating new memory costs as much as building the text. */
const usual: RangeSize = { bytes: 131_072, rows: 250, atOnce: 8 };
/** For tables that are scanned completely for each range. */
const fewer: RangeSize = { bytes: 1_048_576, rows: 2_000, atOnce: 1 };
/** Rows, if small, that one statement divides into ranges. */
const rowsAtOnce = 16_000;

/** A whole table as ranges, in non-empty batches. Row sizes are read before any row. */
async function* readRanges(run: Run, table: TableReader): AsyncGenerator<KeyRange[]> {
  const size = table.key.isExpression === true ? fewer : usual;
  const text = rangesText(table, size);
  const request = (after: string | null) => {
    const answer = run<KeyRange>({ text, values: [after] });
    // A consumer that stops early does not await it.
    answer.catch(() => {});
    return answer;
  };
  for (let next = request(null); ; ) {
    const { rows } = await next;
    const end = rows.at(-1);
    if (end === undefined) return;
    next = request(end.last);
    for (let start = 0; start < rows.length; start += size.atOnce) yield rows.slice(start, start + size.atOnce);
  }
}

/**
 * The ranges of the rows after a key ($1), or from the start. Each range starts after the previous one: a window over
 * all rows would take four times as long.
 */
function rangesText(table: TableReader, max: RangeSize): string {
  const { column, type } = table.key;
  return `with recursive span as (
      select 1 as number, next.* from ${nextRange(table, max, `$1::${type} is null or ${column} > $1::${type}`)} next
      union all
      select span.number + 1, next.* from span, lateral ${nextRange(table, max, `${column} > span.last`)} next
      where span.last is not null and span.number < ${rowsAtOnce / max.rows}
    )
    select first::text, last::text from span where last is not null`;
}

/** The first range of the rows that satisfy a condition; a null key if there is none. Sizes are accumulated row by row only if the total is too large. */
function nextRange({ rows, key: { column }, size }: TableReader, max: RangeSize, condition: string): string {
  const sizes = (where: string) => `select ${column} as key, ${size} as size from ${rows} r where ${where}`;
  return `(
      select page.first, case when page.size <= ${max.bytes} then page.last else (
          select max(key) from (
            select key, sum(size) over (order by key rows unbounded preceding) - size as before from (${sizes(`${column} between page.first and page.last`)}) one
          ) added where before < ${max.bytes}
        ) end as last
      from (select min(key) as first, max(key) as last, sum(size) as size from (${sizes(condition)} order by ${column} limit ${max.rows}) one) page
    )`;
}

import type { Page, PageOptions } from "@sallyport/client/admin";
import { fittedTable, ProgressLine, shortened, tableLines, terminalStyle } from "@sallyport/client/terminal";

/** Result of a command. */
export interface Outcome {
  /** For `--json`: the content of the response. */
  readonly data: unknown;
  /** For users. */
  readonly text: string;
  /** Whether the text says only that there is nothing. It goes to standard error then. */
  readonly isEmpty?: boolean;
  /** Whether the exit code is 1. */
  readonly isFailure?: boolean;
}

/** Width of tables that are not printed to a wider terminal, in characters. */
const usualWidth = 80;
const largestPage = 500;

/** The cell of an item. `whole` cells are never shortened: times and addresses. */
type Column<Item> = ((item: Item) => string) | { readonly whole: (item: Item) => string };

/**
 * A list as a table. The first column has what other commands take; the last ones are hidden if there is no room. Under
 * the row of an item are its `details`, a line each.
 */
export function listed<Item>(
  plural: string,
  items: readonly Item[],
  columns: Readonly<Record<string, Column<Item>>>,
  details: (item: Item) => readonly string[] = () => [],
): Outcome {
  if (items.length === 0) return { data: items, text: `There are no ${plural}.`, isEmpty: true };
  const cells = Object.values(columns);
  const rows = items.map((item) => cells.map((each) => (typeof each === "function" ? each(item) : each.whole(item))));
  const whole = new Set(cells.flatMap((each, index) => (typeof each === "function" ? [] : [index])));
  return { data: items, text: tableText(Object.keys(columns), rows, { whole, details: items.map(details) }) };
}

/** One item, with a line for each value. */
export function shown(data: object, rows: readonly (readonly [label: string, value: string])[]): Outcome {
  const [first = ["", ""], ...others] = rows;
  return { data, text: tableLines(first, others).join("\n") };
}

/** A description of what a command would change, for `--dry-run`. `data`: what it would affect. */
export function wouldDo(text: string, data: object = {}): Outcome {
  return { data, text: `${text} Nothing was changed.` };
}

/** A change, with a sentence about it. `data`: the content of the response. */
export function done(text: string, data: object = {}): Outcome {
  return { data, text };
}

function tableText(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { whole, details }: { readonly whole: ReadonlySet<number>; readonly details: readonly (readonly string[])[] },
): string {
  const width = Math.max(usualWidth, process.stdout.columns ?? 0);
  const table = fittedTable(headings, rows, width, whole);
  const [heading = "", ...lines] = tableLines(table.headings, table.rows);
  const names = `(no room for ${table.hidden.join(", ")}: see --json)`;
  const note = names.length > width ? `(no room for ${table.hidden.length} columns: see --json)` : names;
  const detailed = lines.flatMap((line, index) => [
    line,
    ...(details[index] ?? []).map((each) => shortened(`  ${each}`, width).trimEnd()),
  ]);
  return [terminalStyle(process.stdout).strong(heading), ...detailed, ...(table.hidden.length > 0 ? [note] : [])].join(
    "\n",
  );
}

export function printOutcome({ data, text, isEmpty = false, isFailure = false }: Outcome, asJson: boolean): void {
  if (isFailure) process.exitCode = 1;
  if (asJson) process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  else (isEmpty ? process.stderr : process.stdout).write(`${text}\n`);
}

/** Reads a list to its end, page by page. A terminal shows the progress. */
export async function everyItem<Item>(
  plural: string,
  read: (page: PageOptions) => Promise<Page<Item>>,
  keep: (item: Item) => boolean = () => true,
): Promise<Item[]> {
  const result: Item[] = [];
  const line = new ProgressLine(process.stderr);
  let after: string | undefined;
  let count = 0;
  try {
    do {
      const { items, next } = await read({ after, limit: largestPage });
      count += items.length;
      result.push(...items.filter(keep));
      line.show(() => `Read ${count} ${plural}`);
      after = next ?? undefined;
    } while (after !== undefined);
  } finally {
    line.clear();
  }
  return result;
}

/** The first item that `is` accepts; `undefined` without one. Reads no further page. */
export async function firstItem<Item>(
  read: (page: PageOptions) => Promise<Page<Item>>,
  is: (item: Item) => boolean,
): Promise<Item | undefined> {
  let after: string | undefined;
  do {
    const { items, next } = await read({ after, limit: largestPage });
    const found = items.find(is);
    if (found !== undefined) return found;
    after = next ?? undefined;
  } while (after !== undefined);
  return undefined;
}

const two = (number: number): string => String(number).padStart(2, "0");

/** A time of this machine's zone with its offset, such as `01-31 12:00:00+01:00`, or `Z` for UTC. The year stands there if it is not the present one. */
export function timeText(time: string | null): string {
  if (time === null) return "none";
  const at = new Date(time);
  const year = at.getFullYear() === new Date().getFullYear() ? "" : `${at.getFullYear()}-`;
  const day = `${year}${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}${zoneText(at)}`;
}

function zoneText(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  if (minutes === 0) return "Z";
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** The time between now and then in its largest unit, such as `12m`. */
export function spanText(time: string): string {
  const span = Math.abs(Date.now() - Date.parse(time));
  const [unit, size] = units.find(([, each]) => span >= each) ?? ["s", 1_000];
  return `${Math.floor(span / size)}${unit}`;
}

/** A sentence about ended sessions, with a leading space. */
export function endedText(count: number): string {
  return count === 1 ? " One session has ended." : ` ${count} sessions have ended.`;
}

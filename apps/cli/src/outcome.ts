import type { Page, PageOptions } from "@sallyport/client/admin";
import { fittedRows, ProgressLine, tableLines, terminalStyle } from "@sallyport/terminal";

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

/** Widest table in characters. */
const width = 100;
const largestPage = 500;

/** A list as a table. The first column has what other commands take. */
export function listed<Item>(
  plural: string,
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => string>>,
): Outcome {
  if (items.length === 0) return { data: items, text: `There are no ${plural}.`, isEmpty: true };
  const rows = items.map((item) => Object.values(columns).map((column) => column(item)));
  return { data: items, text: tableText(Object.keys(columns), rows) };
}

/** One item, with a line for each value. */
export function shown(data: object, rows: readonly (readonly [label: string, value: string])[]): Outcome {
  const [first = ["", ""], ...others] = rows;
  return { data, text: tableLines(first, others).join("\n") };
}

/** A change, with a sentence about it. `data`: the content of the response. */
export function done(text: string, data: object = {}): Outcome {
  return { data, text };
}

function tableText(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const [heading = "", ...lines] = tableLines(headings, fittedRows(headings, rows, width));
  return [terminalStyle(process.stdout).strong(heading), ...lines].join("\n");
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
  const kept: Item[] = [];
  const line = new ProgressLine(process.stderr);
  let after: string | undefined;
  let count = 0;
  try {
    do {
      const { items, next } = await read({ after, limit: largestPage });
      count += items.length;
      kept.push(...items.filter(keep));
      line.show(() => `Read ${count} ${plural}`);
      after = next ?? undefined;
    } while (after !== undefined);
  } finally {
    line.clear();
  }
  return kept;
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

/** A time as `2026-01-31 12:00:00`, in UTC. */
export function timeText(time: string | null): string {
  return time === null ? "none" : time.slice(0, 19).replace("T", " ");
}

/** A sentence about ended sessions, with a leading space. */
export function endedText(count: number): string {
  return count === 1 ? " One session has ended." : ` ${count} sessions have ended.`;
}

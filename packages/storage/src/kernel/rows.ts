import type { JsonValue } from "../entities/stored-object.ts";
import { RefusedByStorageError } from "../errors/index.ts";
import { numberTable } from "../repositories/tables.ts";
import { isStorableText } from "../entities/storable-text.ts";
import type { KernelReader, KernelRange, KernelTransaction, Row as StoredRow } from "./kernel.ts";
import { keyAfter, keyOf, type KeyPart, rangeOf } from "./keys.ts";
import type { Note } from "./failures.ts";
import type { Table } from "./table.ts";

/** A part of a table in the order of its keys or of one index. Ends are relative to `of`; each bounds the parts that follow. */
export interface Span<Index extends string = never> {
  /** Default: the keys. */
  readonly index?: Index;
  /** The first parts of all keys or places. Default: none. */
  readonly of?: readonly KeyPart[];
  /** The lowest following parts. */
  readonly from?: readonly KeyPart[];
  /** Everything that begins with these following parts or is lower is left out. */
  readonly after?: readonly KeyPart[];
  /** The first following parts that are left out. */
  readonly to?: readonly KeyPart[];
  /** The last following parts, with everything that begins with them. */
  readonly through?: readonly KeyPart[];
}

/** Rows read at once. */
const chunk = 500;

function* chunksOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < list.length; first += chunk) yield list.slice(first, first + chunk);
}

/** A storage as its rows know it. */
export interface RowStorage {
  /** Whether the values of indexed attributes are kept in a table. */
  readonly valueIndexes: boolean;
  /** The last numbers that this process gave, by series, also in transactions that were rolled back. */
  readonly numbers: Map<string, number>;
}

/** Reads the rows of one committed state. */
export class RowReader {
  private failure: { readonly error: unknown } | null = null;

  constructor(
    private readonly reader: KernelReader,
    private readonly note: Note,
    readonly storage: RowStorage,
  ) {}

  /** Throws the failure of the kernel that a caller has caught: it ended the transaction. */
  assertIntact(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  /**
   * Calls the kernel. After a failure of it, every later call fails with the same error. A refusal of the database is none: a nested
   * transaction can be undone, and the outer one goes on.
   */
  protected async call<T>(make: () => Promise<T>): Promise<T> {
    this.assertIntact();
    try {
      return await this.note(make());
    } catch (error) {
      if (!(error instanceof RefusedByStorageError)) this.failure = { error };
      throw error;
    }
  }

  now(): Promise<number> {
    return this.call(() => this.reader.now());
  }

  async watermark(): Promise<number> {
    return (await this.call(() => this.reader.watermark())) + (await this.stampOffset());
  }

  /** The distance from the stamps of the kernel to those of the storage. */
  protected async stampOffset(): Promise<number> {
    return (await this.get(numberTable, "stampOffset"))?.number ?? 0;
  }

  async get<Row, Index extends string>(table: Table<Row, Index>, ...key: readonly KeyPart[]): Promise<Row | undefined> {
    return (await this.getAll(table, [key]))[0];
  }

  /** The rows of these keys, in the order of the keys. Unknown ones are absent. */
  async getAll<Row, Index extends string>(
    { name }: Table<Row, Index>,
    keys: readonly (readonly KeyPart[])[],
  ): Promise<Row[]> {
    const unique = [...new Set(keys.map(keyOf))].filter(isStorableText);
    const values = new Map<string, JsonValue>();
    for (const some of chunksOf(unique))
      for (const { key, value } of await this.call(() => this.reader.get(name, some))) values.set(key, value);
    return unique.flatMap((key) => (values.has(key) ? [values.get(key) as Row] : []));
  }

  /** At most `limit` rows of a span, in order, or from its end. */
  async list<Row, Index extends string>(
    table: Table<Row, Index>,
    span: Span<Index>,
    limit: number,
    order?: "descending",
  ): Promise<Row[]> {
    const rows: Row[] = [];
    if (limit > 0) for await (const row of this.each(table, span, order, limit)) if (rows.push(row) >= limit) break;
    return rows;
  }

  /** The rows of a span, in order, some at a time. */
  async *each<Row, Index extends string>(
    { name }: Table<Row, Index>,
    span: Span<Index>,
    order?: "descending",
    atOnce = chunk,
  ): AsyncGenerator<Row> {
    let range = kernelRange(span);
    const limit = Math.min(atOnce, chunk);
    while (isStorable(range)) {
      const page = await this.call(() => this.reader.range(name, range, limit, order === "descending"));
      for (const { value } of page) yield value as Row;
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return;
      range = order === "descending" ? { ...range, to: last.place } : { ...range, from: keyAfter(last.place) };
    }
  }

  /** The first row of a span. */
  async first<Row, Index extends string>(table: Table<Row, Index>, span: Span<Index>): Promise<Row | undefined> {
    return (await this.list(table, span, 1))[0];
  }

  /** The number of rows in a span; counting stops at `atMost`. */
  async count<Row, Index extends string>(
    { name }: Table<Row, Index>,
    span: Span<Index>,
    atMost = Number.MAX_SAFE_INTEGER,
  ): Promise<number> {
    const range = kernelRange(span);
    return atMost > 0 && isStorable(range) ? this.call(() => this.reader.count(name, range, atMost)) : 0;
  }
}

/** Undoes writes, the last one first. */
type Undo = (() => Promise<void>)[];

/** Reads and writes the rows in one transaction. */
export class Rows extends RowReader {
  private undo: Undo | null = null;

  constructor(
    private readonly transaction: KernelTransaction,
    note: Note,
    storage: RowStorage,
  ) {
    super(transaction, note, storage);
  }

  /** The stamp of all writes of this transaction. */
  async stamp(): Promise<number> {
    return (await this.call(() => this.transaction.stamp())) + (await this.stampOffset());
  }

  /** Stores rows. Each replaces the one with its key. */
  async put<Row, Index extends string>(table: Table<Row, Index>, ...rows: readonly Row[]): Promise<void> {
    const stored = rows.map((row) => storedRow(table, row));
    await this.keepForUndo(
      table,
      stored.map(({ key }) => key),
    );
    for (const some of chunksOf(stored)) await this.call(() => this.transaction.put(table.name, some));
  }

  /** Removes the rows with these keys. */
  async delete<Row, Index extends string>(
    table: Table<Row, Index>,
    ...keys: readonly (readonly KeyPart[])[]
  ): Promise<void> {
    const encoded = [...new Set(keys.map(keyOf))].filter(isStorableText);
    await this.keepForUndo(table, encoded);
    for (const some of chunksOf(encoded)) await this.call(() => this.transaction.delete(table.name, some));
  }

  /** Runs work whose writes are undone if it throws. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.undo;
    const own: Undo = [];
    this.undo = own;
    try {
      const result = await work();
      outer?.push(...own);
      return result;
    } catch (error) {
      // A failure of the kernel has ended the transaction.
      this.assertIntact();
      this.undo = null;
      for (const step of own.toReversed()) await step();
      throw error;
    } finally {
      this.undo = outer;
    }
  }

  /** Keeps the present rows of the keys for the running attempt. */
  private async keepForUndo<Row, Index extends string>(
    table: Table<Row, Index>,
    keys: readonly string[],
  ): Promise<void> {
    if (this.undo === null) return;
    const { name } = table;
    for (const some of chunksOf(keys)) {
      const before = (await this.call(() => this.transaction.get(name, some))).map(({ value }) =>
        storedRow(table, value as Row),
      );
      this.undo.push(async () => {
        await this.call(() => this.transaction.delete(name, some));
        await this.call(() => this.transaction.put(name, before));
      });
    }
  }
}

function storedRow<Row, Index extends string>({ key, indexes }: Table<Row, Index>, row: Row): StoredRow {
  const own = keyOf(key(row));
  const places = Object.entries<(row: Row) => readonly (readonly KeyPart[])[]>(indexes).map(
    ([name, beginnings]) => [name, beginnings(row).map((parts) => keyOf(parts) + own)] as const,
  );
  return { key: own, value: row as JsonValue, places: Object.fromEntries(places) };
}

function kernelRange({ index, of = [], from, after, to, through }: Span<string>): KernelRange {
  const whole = rangeOf(of);
  const bounds = {
    ...whole,
    ...(from === undefined ? {} : { from: keyOf([...of, ...from]) }),
    ...(after === undefined ? {} : { from: rangeOf([...of, ...after]).to }),
    ...(to === undefined ? {} : { to: keyOf([...of, ...to]) }),
    ...(through === undefined ? {} : { to: rangeOf([...of, ...through]).to }),
  };
  return index === undefined ? bounds : { index, ...bounds };
}

/** A look-up with a text that is not storable finds nothing. */
function isStorable({ from = "", to = "" }: KernelRange): boolean {
  return isStorableText(from) && isStorableText(to);
}

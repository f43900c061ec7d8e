import {
  type FoundRow,
  type JsonValue,
  type Kernel,
  type KernelRange,
  type KernelReader,
  type KernelTransaction,
  kernelVersion,
  type Row,
  ServiceError,
  type StorageCapabilities,
  type TableDeclaration,
} from "@sallyport/storage";
import { OrderedMap } from "./ordered-map.ts";

/** The rows of a table by key, and the keys by place in each index. All texts are in the form of `ordered`. */
interface StoredTable {
  readonly rows: OrderedMap<Row>;
  readonly indexes: ReadonlyMap<string, OrderedMap<string>>;
}

/** The whole content of a database: a value. A commit replaces it. */
interface State {
  readonly tables: ReadonlyMap<string, StoredTable>;
  /** The stamp of the last commit. */
  readonly stamp: number;
}

export interface MemoryKernelOptions {
  /** Milliseconds by which the kernel's clock is ahead of the process's, read at every call. Default: 0. */
  readonly clockOffset?: () => number;
  /** Whether the running code is the work of a transaction, which would wait for itself. Default: never. */
  readonly isInTransaction?: () => boolean;
  /** Whether the values of indexed attributes are kept in order. Default: false, as it pays only for many objects. */
  readonly valueIndexes?: boolean;
}

/** A kernel in the memory of this process. Transactions run one after another; reads never wait. */
export class MemoryKernel implements Kernel {
  readonly version = kernelVersion;
  readonly capabilities: StorageCapabilities;
  private state: State = { tables: new Map(), stamp: 0 };
  private last: Promise<unknown> = Promise.resolve();
  private readonly reads = new Set<Promise<unknown>>();
  private closed = false;
  private readonly clockOffset: () => number;
  private readonly isInTransaction: () => boolean;

  constructor({
    clockOffset = () => 0,
    isInTransaction = () => false,
    valueIndexes = false,
  }: MemoryKernelOptions = {}) {
    this.capabilities = {
      durable: false,
      severalProcesses: false,
      parallelTransactions: false,
      valueIndexes,
      indexesPerTable: null,
      connections: null,
    };
    this.clockOffset = clockOffset;
    this.isInTransaction = isInTransaction;
  }

  async read<T>(work: (reader: KernelReader) => Promise<T>): Promise<T> {
    this.checkUsable();
    const read = work(new MemoryReader(this.state, () => this.time()));
    this.reads.add(read);
    try {
      return await read;
    } finally {
      this.reads.delete(read);
    }
  }

  async transaction<T>(work: (transaction: KernelTransaction) => Promise<T>): Promise<T> {
    this.checkUsable();
    return this.inTurn(async () => {
      const transaction = new MemoryTransaction(this.state, () => this.time());
      const result = await work(transaction);
      this.state = transaction.written;
      return result;
    });
  }

  async migrate(tables: readonly TableDeclaration[]): Promise<void> {
    this.checkOpen();
    await this.inTurn(() => {
      const present = this.state.tables;
      const created = tables.map(({ name, indexes }) => {
        const { rows = OrderedMap.empty<Row>(), indexes: built = new Map<string, OrderedMap<string>>() } =
          present.get(name) ?? {};
        const missing = indexes.filter((index) => !built.has(index));
        const all = [...built, ...missing.map((index) => [index, OrderedMap.empty<string>()] as const)];
        return [name, { rows, indexes: new Map(all) }] as const;
      });
      this.state = { ...this.state, tables: new Map([...present, ...created]) };
    });
  }

  async health(): Promise<void> {
    this.checkOpen();
    this.checkMigrated();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.last;
    await Promise.allSettled(this.reads);
  }

  /** Keeps the present content. The result restores it, as often as it is called. */
  async snapshot(): Promise<() => Promise<void>> {
    const before = await this.inTurn(() => this.state);
    return () =>
      this.inTurn(() => {
        this.state = before;
      });
  }

  private inTurn<T>(work: () => Promise<T> | T): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => {});
    return turn;
  }

  private time(): number {
    return Date.now() + this.clockOffset();
  }

  private checkOpen(): void {
    if (this.closed) throw new ServiceError(706, { detail: "The storage is closed." });
  }

  private checkMigrated(): void {
    if (this.state.tables.size === 0) throw new ServiceError(705);
  }

  private checkUsable(): void {
    this.checkOpen();
    this.checkMigrated();
    // It would deadlock with the running transaction.
    if (this.isInTransaction())
      throw new ServiceError(799, { detail: "A transaction must await only its own repositories." });
  }
}

class MemoryReader implements KernelReader {
  constructor(
    protected readonly state: State,
    private readonly time: () => number,
  ) {}

  async now(): Promise<number> {
    return this.time();
  }

  async watermark(): Promise<number> {
    return this.state.stamp;
  }

  async get(table: string, keys: readonly string[]): Promise<Pick<Row, "key" | "value">[]> {
    const { rows } = this.table(table);
    return [...new Set(keys)].flatMap((key) => rows.get(ordered(key)) ?? []);
  }

  async range(table: string, range: KernelRange, limit: number, descending = false): Promise<FoundRow[]> {
    const { rows, indexes } = this.table(table);
    const { index, from, to } = orderedRange(range);
    const page: FoundRow[] = [];
    if (index === undefined) {
      for (const [, row] of descending ? rows.descending(from, to) : rows.ascending(from, to)) {
        if (page.length >= limit) break;
        page.push({ key: row.key, value: row.value, place: row.key });
      }
      return page;
    }
    const places = indexes.get(index) as OrderedMap<string>;
    for (const [place, key] of descending ? places.descending(from, to) : places.ascending(from, to)) {
      if (page.length >= limit) break;
      const row = rows.get(key) as Row;
      page.push({ key: row.key, value: row.value, place: inOriginalForm(place) });
    }
    return page;
  }

  async count(table: string, range: KernelRange, atMost: number): Promise<number> {
    const { rows, indexes } = this.table(table);
    const { index, from, to } = orderedRange(range);
    const counted = index === undefined ? rows : (indexes.get(index) as OrderedMap<string>);
    return Math.min(atMost, counted.count(from, to));
  }

  protected table(name: string): StoredTable {
    return tableIn(this.state.tables, name);
  }
}

class MemoryTransaction extends MemoryReader implements KernelTransaction {
  private readonly tables = new Map(this.state.tables);

  /** The state with the writes so far. */
  get written(): State {
    return { tables: this.tables, stamp: this.state.stamp + 1 };
  }

  async put(table: string, rows: readonly Row[]): Promise<void> {
    for (const row of rows) this.change(table, row.key, isolated(row));
  }

  async delete(table: string, keys: readonly string[]): Promise<void> {
    for (const key of keys) this.change(table, key, null);
  }

  async stamp(): Promise<number> {
    return this.written.stamp;
  }

  protected override table(name: string): StoredTable {
    return tableIn(this.tables, name);
  }

  /** Replaces the row of a key, with its places. */
  private change(name: string, key: string, row: Row | null): void {
    const table = this.table(name);
    const own = ordered(key);
    const before = table.rows.get(own);
    if (before === undefined && row === null) return;
    const indexes = new Map<string, OrderedMap<string>>();
    for (const [index, places] of table.indexes) {
      const [left, taken] = [before?.places[index] ?? [], row?.places[index] ?? []];
      let changed = places;
      for (const place of left) if (!taken.includes(place)) changed = changed.without(ordered(place));
      for (const place of taken) if (!left.includes(place)) changed = changed.with(ordered(place), own);
      indexes.set(index, changed);
    }
    const rows = row === null ? table.rows.without(own) : table.rows.with(own, row);
    this.tables.set(name, { rows, indexes });
  }
}

/** A copy of a row that no caller can change. */
function isolated({ key, value, places }: Row): Row {
  return { key, value: frozen(value), places: structuredClone(places) };
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.freeze(Object.fromEntries(members.map(([name, member]) => [name, frozen(member)])));
}

function tableIn(tables: ReadonlyMap<string, StoredTable>, name: string): StoredTable {
  const table = tables.get(name);
  if (table === undefined) throw new ServiceError(705);
  return table;
}

function orderedRange({ index, from, to }: KernelRange): KernelRange {
  return {
    ...(index === undefined ? {} : { index }),
    ...(from === undefined ? {} : { from: ordered(from) }),
    ...(to === undefined ? {} : { to: ordered(to) }),
  };
}

/**
 * The order of JavaScript, by UTF-16 code units, is that of code points but for surrogates, which stand for the highest ones.
 * This form moves them behind all others, so that texts can be compared without a look at each unit.
 */
function ordered(text: string): string {
  return /[\uD800-\uFFFF]/.test(text) ? mapUnits(text, (unit) => (unit < 0xe000 ? unit + 0x2000 : unit - 0x800)) : text;
}

/** The inverse of `ordered`. */
function inOriginalForm(text: string): string {
  return /[\uD800-\uFFFF]/.test(text) ? mapUnits(text, (unit) => (unit < 0xf800 ? unit + 0x800 : unit - 0x2000)) : text;
}

function mapUnits(text: string, map: (unit: number) => number): string {
  let mapped = "";
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    mapped += String.fromCharCode(unit < 0xd800 ? unit : map(unit));
  }
  return mapped;
}

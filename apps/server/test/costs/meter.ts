import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { jest } from "@jest/globals";
import pg from "pg";
import type { Cost } from "../../src/reference/costs.ts";

/** Types of messages: those that run a statement, and those after which the server says that it is ready. */
const [running, awaited] = ["EQ", "SQ"];

/** Members of a client that its types lack. */
type Client = pg.Client & { readonly connection: pg.Connection; readonly _connected: boolean };

/** What a connection sends, by the messages of the protocol. */
class Wire {
  statements = 0;
  roundTrips = 0;
  /** How often the server has still to say that it is ready. */
  #due = 0;
  #isWaiting = false;

  constructor(readonly client: Client) {
    const { connection } = client;
    const { stream } = connection;
    const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
    stream.write = ((chunk: Buffer, ...rest: unknown[]) => {
      this.#count(chunk);
      return write(chunk, ...rest);
    }) as typeof stream.write;
    // The client sends its next statement in its own listener.
    connection.prependListener("readyForQuery", () => {
      // What was sent before the count began is not due.
      this.#due = Math.max(0, this.#due - 1);
      this.#isWaiting = this.#due > 0;
    });
  }

  reset(): void {
    [this.statements, this.roundTrips] = [0, 0];
  }

  get isOpen(): boolean {
    return !this.client.connection.stream.destroyed;
  }

  get isIdle(): boolean {
    return !this.#isWaiting;
  }

  #count(chunk: Buffer): void {
    if (!this.#isWaiting) this.roundTrips += 1;
    this.#isWaiting = true;
    for (let at = 0; at < chunk.length; at += 1 + chunk.readInt32BE(at + 1)) {
      const type = String.fromCharCode(chunk[at] ?? 0);
      if (running.includes(type)) this.statements += 1;
      if (awaited.includes(type)) this.#due += 1;
    }
  }
}

/** Counters of a database with one session. */
const countersText = `select
  pg_current_wal_insert_lsn() - '0/0'::pg_lsn as "walBytes",
  (select sum(custom_plans) from pg_prepared_statements) as plans,
  (select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables) as "rowsRead",
  (select sum(fsyncs) from pg_stat_io where object = 'wal') as fsyncs`;

type DatabaseCounts = Pick<Cost, "walBytes" | "plans" | "rowsRead" | "fsyncs">;

const noCounts: DatabaseCounts = { walBytes: 0, plans: 0, rowsRead: 0, fsyncs: 0 };

/**
 * Counts what requests cost. Statements and round trips are those of all connections of this process. The other counts
 * of the database are those of the embedded engine, whose cluster and session nothing else uses.
 */
export class Meter {
  readonly #connected = jest.spyOn(pg.Client.prototype, "connect");
  readonly #posted = jest.spyOn(Worker.prototype, "postMessage");
  readonly #encrypted = jest.spyOn(crypto, "publicEncrypt");
  readonly #wires = new Map<Client, Wire>();

  /** Start it before the server. */
  constructor() {
    syncBuiltinESMExports();
  }

  restore(): void {
    for (const spy of [this.#connected, this.#posted, this.#encrypted]) spy.mockRestore();
    syncBuiltinESMExports();
  }

  /**
   * The least of each count over several requests, so that work between requests does not count. Ends when it is what is
   * expected. `isEmbedded`: whether the database is the embedded engine, which counts, too.
   */
  async costOf(prepare: Prepare, isExpected: (cost: Counted) => boolean, isEmbedded: boolean): Promise<Counted> {
    for (let sent = 0; sent < warmUps; sent += 1) await (await (await prepare())())?.();
    let least: Counted | undefined;
    for (let round = 0; round < mostRounds; round += 1) {
      const cost = await this.#costOfOne(await prepare(), isEmbedded);
      least = least === undefined ? cost : leastOf(least, cost);
      if (isExpected(least)) break;
    }
    return least as Counted;
  }

  async #costOfOne(send: Awaited<ReturnType<Prepare>>, isEmbedded: boolean): Promise<Counted> {
    await this.#idle();
    const before = isEmbedded ? await this.#database() : noCounts;
    for (const wire of this.#all()) wire.reset();
    this.#posted.mockClear();
    this.#encrypted.mockClear();
    const heapBefore = process.memoryUsage().heapUsed;
    const undo = await send();
    await this.#idle();
    const allocated = process.memoryUsage().heapUsed - heapBefore;
    const sum = (count: (wire: Wire) => number) => this.#all().reduce((all, wire) => all + count(wire), 0);
    const own = {
      statements: sum(({ statements }) => statements),
      roundTrips: sum(({ roundTrips }) => roundTrips),
      rsaOperations: this.#encrypted.mock.calls.length + this.#decryptions(),
    };
    const after = isEmbedded ? await this.#database() : noCounts;
    const names = Object.keys(after) as (keyof DatabaseCounts)[];
    const since = Object.fromEntries(names.map((name) => [name, after[name] - before[name]]));
    await undo?.();
    // After a collection of garbage, the heap tells nothing.
    const kilobytes = allocated > 0 ? allocated / 1_000 : Number.POSITIVE_INFINITY;
    return { ...own, ...(since as unknown as DatabaseCounts), kilobytes };
  }

  #all(): Wire[] {
    for (const client of this.#connected.mock.contexts as Client[])
      if (client._connected && !this.#wires.has(client)) this.#wires.set(client, new Wire(client));
    return [...this.#wires.values()].filter(({ isOpen }) => isOpen);
  }

  /** Waits for work after a response. */
  async #idle(): Promise<void> {
    for (let turns = 0; turns < idleTurns; turns += 1) {
      await nextTurn();
      if (this.#all().some(({ isIdle }) => !isIdle)) turns = 0;
    }
  }

  async #database(): Promise<DatabaseCounts> {
    const [wire] = this.#all();
    if (wire === undefined) throw new Error("The server has no connection.");
    await wire.client.query("select pg_stat_force_next_flush()");
    const { rows } = await wire.client.query(countersText);
    return Object.fromEntries(Object.entries(rows[0] as object).map(([name, count]) => [name, Number(count)])) as never;
  }

  /** Blocks that threads decrypt: each block with each key. */
  #decryptions(): number {
    return this.#posted.mock.calls.reduce((sum, [message]) => {
      const { bytes, keys } = message as { bytes?: Uint8Array; keys?: readonly { modulus: Uint8Array }[] };
      if (bytes === undefined || keys === undefined) return sum;
      return keys.reduce((all, { modulus }) => all + bytes.length / modulus.length, sum);
    }, 0);
  }
}

/** Prepares a request, and returns what sends it. That returns what reverts it, if need be. */
export type Prepare = () => Promise<() => Promise<(() => Promise<unknown>) | void>>;

/** `kilobytes` includes those of the client in this process. */
export type Counted = Required<Cost>;

function leastOf(one: Counted, other: Counted): Counted {
  const names = Object.keys(one) as (keyof Cost)[];
  return Object.fromEntries(names.map((name) => [name, Math.min(one[name], other[name])])) as unknown as Counted;
}

/** Postgres plans a statement for each of its first five calls. */
const warmUps = 7;
/** Until the compiler of V8 has come to rest, the same request allocates more. */
const mostRounds = 60;
const idleTurns = 20;

import { ServiceError } from "../errors/index.ts";
import type { RowReader, Rows } from "./rows.ts";

/** Access of the repositories to the rows, outside or inside a transaction. */
export interface Access {
  /** Runs work on one committed state, or on the state of the transaction. */
  read<T>(work: (rows: RowReader) => Promise<T>): Promise<T>;

  /** Runs work with writes: all of them are kept, or none if it throws. */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

/** The rows as one open transaction sees them. Its calls run one after another, in their order. */
export class TransactionAccess implements Access {
  private ended = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly rows: Rows) {}

  /** Refuses further calls, and waits for the running ones. */
  async end(): Promise<void> {
    this.ended = true;
    await this.last;
  }

  read<T>(work: (rows: RowReader) => Promise<T>): Promise<T> {
    return this.write(work);
  }

  async write<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    this.checkRunning();
    const call = this.last.then(() => work(this.rows));
    this.last = call.catch(() => {});
    return call;
  }

  /** Runs a nested transaction, whose writes are undone if it throws. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    this.checkRunning();
    return this.rows.attempt(async () => {
      try {
        return await work();
      } finally {
        // A failed call of several leaves the others running. The rows are undone behind them.
        await this.last;
      }
    });
  }

  private checkRunning(): void {
    if (this.ended) throw new ServiceError(799, { detail: "The transaction has ended." });
  }
}

/** Passes work on and keeps its answers, so that no failure goes unnoticed. */
export class TrackedAccess implements Access {
  private readonly pending: Promise<unknown>[] = [];
  private accepting = true;

  constructor(private readonly access: Access) {}

  read<T>(work: (rows: RowReader) => Promise<T>): Promise<T> {
    return this.track(() => this.access.read(work));
  }

  write<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    return this.track(() => this.access.write(work));
  }

  /** Accepts no further calls. Rejects if one of the calls so far fails. */
  async answers(): Promise<void> {
    this.accepting = false;
    await Promise.all(this.pending);
  }

  private async track<T>(call: () => Promise<T>): Promise<T> {
    if (!this.accepting) throw new ServiceError(799, { detail: "A batch accepts no call after its work has begun." });
    const answer = call();
    this.pending.push(answer);
    return answer;
  }
}

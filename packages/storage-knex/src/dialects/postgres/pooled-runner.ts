import { setImmediate } from "node:timers";
import type { Knex } from "knex";
import { SqlPooledRunner } from "../../query-runner.ts";
import { type SqlResult, withRetries } from "../../sql-runner.ts";
import type { Statement } from "../../statement.ts";
import { acquire, type Connection, type Query, release, runOn } from "./connection.ts";
import { dialect, TransactionRunner } from "./transaction-runner.ts";

/**
 * Sends statements to any free connection, those that are asked for together to the same one, and brief ones of one turn of the event
 * loop as if they were; a statement or transaction that lost against another one runs again.
 */
export class PooledRunner extends SqlPooledRunner<Query, Connection> {
  protected readonly dialect = dialect;
  private loan: SharedLoan | undefined;
  private readonly groups = new TurnGroups();

  protected async send<Row>(query: Query, statement?: Statement): Promise<SqlResult<Row>> {
    this.calls.begin();
    try {
      const checking = this.ready();
      if (checking !== undefined) await checking;
      if (statement?.batchable === true) await this.groups.join();
      return await withRetries(
        () => this.currentLoan().use((connection) => runOn<Row>(connection, query)),
        (error) => this.isLost(error),
      );
    } finally {
      this.calls.end();
    }
  }

  protected transactionOn(connection: Connection): TransactionRunner {
    return new TransactionRunner(connection, this.knex, this.schema);
  }

  /** The loan for all that is sent before the caller next awaits something. */
  private currentLoan(): SharedLoan {
    if (this.loan === undefined) {
      this.loan = new SharedLoan(this.knex);
      queueMicrotask(() => {
        this.loan = undefined;
      });
    }
    return this.loan;
  }
}

/** A connection for several statements at once, given back when the last of them was answered. */
class SharedLoan {
  private readonly connection: Promise<Connection>;
  private users = 0;

  constructor(private readonly knex: Knex) {
    this.connection = acquire(knex);
  }

  /** Must be called before anything is awaited after the loan was taken. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.users += 1;
    const connection = await this.connection;
    try {
      return await work(connection);
    } finally {
      this.users -= 1;
      if (this.users === 0) release(this.knex, connection);
    }
  }
}

/** Statements that share a packet. The database works them off one after the other, so that many of them would keep the last one waiting. */
const maximumBatch = 8;

interface Group {
  size: number;
  readonly gone: Promise<void>;
  readonly go: () => void;
}

/**
 * Lets go together what is asked for in one turn of the event loop: under load, several requests are read in one, and the packets
 * to the database and back cost more than what is in them. Whoever is alone is not held up, and a full group does not wait for the end
 * of the turn.
 */
class TurnGroups {
  private group: Group | undefined;

  /** Those of one group go on without anything in between. */
  join(): Promise<void> {
    this.group ??= this.begin();
    const { group } = this;
    group.size += 1;
    if (group.size === maximumBatch) this.end(group);
    return group.gone;
  }

  private begin(): Group {
    let go: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const group = { size: 0, gone, go };
    setImmediate(() => this.end(group));
    return group;
  }

  private end(group: Group): void {
    if (this.group === group) this.group = undefined;
    group.go();
  }
}

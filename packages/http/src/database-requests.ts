import type { Database } from "@sallyport/core";

/** The use of a database by one request. */
export class DatabaseUse {
  private ended = false;

  constructor(private readonly state: DatabaseState) {
    state.requests += 1;
  }

  /** Calls `call` when the database is withdrawn, at once if it already is. Returns a function to unsubscribe. */
  onWithdrawal(call: () => void): () => void {
    const { state } = this;
    state.waits.add(call);
    if (state.isWithdrawn) call();
    return () => void state.waits.delete(call);
  }

  /** Idempotent. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.state.requests -= 1;
    if (this.state.requests === 0) this.state.unused?.();
  }
}

interface DatabaseState {
  requests: number;
  /** Called at the withdrawal. */
  readonly waits: Set<() => void>;
  isWithdrawn: boolean;
  /** Called when the last request in progress ends. */
  unused?: () => void;
}

/** The requests in progress of each database. */
export class DatabaseRequests {
  private readonly states = new WeakMap<Database, DatabaseState>();

  /** Begins a request on a database. */
  enter(database: Database): DatabaseUse {
    return new DatabaseUse(this.stateOf(database));
  }

  /** Ends the waits of requests on a database that is no longer served. Resolves when no request uses it. */
  withdraw(database: Database): Promise<void> {
    const state = this.stateOf(database);
    state.isWithdrawn = true;
    for (const call of state.waits) call();
    return new Promise((resolve) => {
      state.unused = resolve;
      if (state.requests === 0) resolve();
    });
  }

  private stateOf(database: Database): DatabaseState {
    let state = this.states.get(database);
    if (state === undefined) {
      state = { requests: 0, waits: new Set(), isWithdrawn: false };
      this.states.set(database, state);
    }
    return state;
  }
}

import type { Database } from "@sallyport/core";

/** The requests in progress of one database. */
export class DatabaseUse {
  private requests = 0;
  private isWithdrawn = false;
  /** Called at the withdrawal. */
  private readonly waits = new Set<() => void>();
  /** Called when the last request in progress ends. */
  private unused: (() => void) | undefined;

  /** Begins a request; `end` must follow, once. */
  begin(): this {
    this.requests += 1;
    return this;
  }

  end(): void {
    this.requests -= 1;
    if (this.requests === 0) this.unused?.();
  }

  /** Whether a request is in progress. */
  get isActive(): boolean {
    return this.requests > 0;
  }

  /** Calls `call` when the database is withdrawn, at once if it already is. Returns a function to unsubscribe. */
  onWithdrawal(call: () => void): () => void {
    this.waits.add(call);
    if (this.isWithdrawn) call();
    return () => void this.waits.delete(call);
  }

  /** Ends the waits. Resolves when no request uses the database. */
  withdraw(): Promise<void> {
    this.isWithdrawn = true;
    for (const call of this.waits) call();
    return new Promise((resolve) => {
      this.unused = resolve;
      if (this.requests === 0) resolve();
    });
  }
}

/** The requests in progress of each database. */
export class DatabaseRequests {
  private readonly uses = new WeakMap<Database, DatabaseUse>();

  of(database: Database): DatabaseUse {
    let use = this.uses.get(database);
    if (use === undefined) {
      use = new DatabaseUse();
      this.uses.set(database, use);
    }
    return use;
  }

  /** Ends the waits of requests on a database that is no longer served. Resolves when no request uses it. */
  withdraw(database: Database): Promise<void> {
    return this.of(database).withdraw();
  }
}

import { type Database } from "@sallyport/core";
import type { OpenWriter } from "@sallyport/storage-knex";
import type { Logger } from "pino";
import type { StorageEngines } from "../composition/storages/storage-engines.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";
import { DatabaseTimers, isDefect } from "./database-timers.ts";
import type { Metrics } from "../monitoring/metrics.ts";

/** Milliseconds between two looks at a database. */
const interval = 10_000;
/** Milliseconds after which an open transaction is logged. */
const longAge = 30_000;

/** Reports open transactions that keep changes from devices: their age as a metric, the old ones in the log. */
export class WriterWatch {
  private readonly timers: DatabaseTimers;
  /** The open transactions at the last look, by alias and id. */
  private readonly transactions = new Map<string, ReadonlyMap<string, OpenTransaction>>();

  constructor(
    private readonly databases: ServedDatabases,
    private readonly engines: Pick<StorageEngines, "openWriters">,
    private readonly metrics: Pick<Metrics, "watermarkHeld">,
    private readonly logger: Logger,
    private readonly now: () => number,
  ) {
    this.timers = new DatabaseTimers(
      databases,
      () => interval,
      (database) => this.look(database),
    );
  }

  start(): void {
    this.timers.start();
  }

  stop(): void {
    this.timers.stop();
  }

  /** Looks at a database once. */
  async look(database: Database): Promise<void> {
    const { alias } = database;
    const storage = this.databases.configurations.get(alias)?.storage ?? null;
    if (storage === null) return;
    try {
      this.report(alias, await this.engines.openWriters(storage));
    } catch (err) {
      if (!isDefect(err) || this.timers.isOver(database)) return;
      this.logger.warn({ alias, err }, "Open transactions cannot be read");
    }
  }

  private report(alias: string, writers: readonly OpenWriter[]): void {
    const before = this.transactions.get(alias);
    const transactions = new Map<string, OpenTransaction>();
    let oldest = 0;
    for (const writer of writers) {
      const { since, isLogged } = before?.get(writer.transaction) ?? { since: this.now(), isLogged: false };
      // The beginning is hidden for transactions of other roles.
      const age = writer.age ?? this.now() - since;
      oldest = Math.max(oldest, age);
      transactions.set(writer.transaction, { since, isLogged: isLogged || age >= longAge });
      if (isLogged || age < longAge) continue;
      const { pid, role, application, prepared } = writer;
      const facts = { alias, pid, role, application, prepared, ageMs: Math.round(age) };
      this.logger.warn(facts, "An open transaction keeps changes from devices");
    }
    this.transactions.set(alias, transactions);
    this.metrics.watermarkHeld(alias, oldest);
  }
}

interface OpenTransaction {
  /** The time of the first look that met it. */
  readonly since: number;
  readonly isLogged: boolean;
}

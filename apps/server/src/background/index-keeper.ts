import { type AttributeIndex, ServiceError } from "@sallyport/storage";
import { type Database, type IndexAlignment, alignIndexes } from "@sallyport/core";
import type { Logger } from "pino";
import type { ServedDatabases } from "../databases/served-databases.ts";

/** Milliseconds before the next attempt if another process is aligning indexes. */
const pauseWhenBusy = 5_000;

/** Codes that are logged elsewhere or are temporary. */
const loggedElsewhere: ReadonlySet<number> = new Set([607, 704, 705, 706]);

/** Aligns the indexes of databases with their models. It processes one database at a time. */
export class IndexKeeper implements IndexAlignment {
  private readonly waiting = new Set<Database>();
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Last failure per database, to log each only once. */
  private readonly lastFailures = new WeakMap<Database, string>();
  /** Names of the indexes over the limit of the engine, as last logged. */
  private readonly leftOut = new WeakMap<Database, string>();
  private working: Promise<void> | undefined;
  private stopped = false;
  private databases: ServedDatabases | undefined;

  constructor(private readonly logger: Logger) {}

  /** Aligns each database now, when it is added, and every `interval` milliseconds, also for other servers that failed. */
  start(databases: ServedDatabases, interval: number): void {
    this.databases = databases;
    const beginAll = () => {
      for (const database of databases.values())
        if (database !== null && !databases.isResting(database)) this.begin(database);
    };
    this.timers.add(setInterval(beginAll, interval).unref());
    databases.follow((database) => this.begin(database));
  }

  stop(): void {
    this.stopped = true;
    this.waiting.clear();
    for (const timer of this.timers) clearTimeout(timer);
  }

  begin(database: Database): void {
    if (this.stopped) return;
    this.waiting.add(database);
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  /** Resolves when no work is left. */
  async settled(): Promise<void> {
    while (this.working !== undefined) await this.working;
  }

  private async work(): Promise<void> {
    for (const database of this.waiting) {
      this.waiting.delete(database);
      if (!this.isOver(database)) await this.align(database);
    }
  }

  private async align(database: Database): Promise<void> {
    const { alias, storage } = database;
    const startedAt = performance.now();
    try {
      const report = await alignIndexes(storage);
      this.lastFailures.delete(database);
      if (report === "busy") {
        this.retryLater(database);
        return;
      }
      const { built, removed, left } = report;
      this.logLeftOut(database, namesOf(left));
      if (this.stopped || built.length + removed === 0) return;
      const durationMs = Math.round(performance.now() - startedAt);
      this.logger.info({ alias, built: namesOf(built), removed, durationMs }, "Indexes updated");
    } catch (err) {
      if (this.isOver(database) || (err instanceof ServiceError && loggedElsewhere.has(err.code))) return;
      const failure = String((err as Error).cause ?? err);
      if (this.lastFailures.get(database) === failure) return;
      this.lastFailures.set(database, failure);
      if (isDenied(err))
        this.logger.warn(
          { alias, reason: failure },
          "The account may not build indexes. Run `sallyport-server migrate`.",
        );
      else this.logger.warn({ alias, err }, "Index update failed");
    }
  }

  private isOver(database: Database): boolean {
    return this.stopped || this.databases?.isWithdrawn(database) === true;
  }

  /** Lists by these attributes stay slow. Logged at first and after each change. */
  private logLeftOut(database: Database, left: readonly string[]): void {
    const before = this.leftOut.get(database) ?? "";
    this.leftOut.set(database, left.join());
    if (left.length === 0 || left.join() === before) return;
    const { alias, storage } = database;
    this.logger.warn({ alias, remaining: left, limit: storage.capabilities.indexesPerTable }, "Index limit exceeded");
  }

  private retryLater(database: Database): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.begin(database);
    }, pauseWhenBusy);
    this.timers.add(timer.unref());
  }
}

/** The set-up with an account that may not change tables is a documented one. */
function isDenied(error: unknown): boolean {
  const cause = (error as Error).cause as { readonly code?: unknown; readonly errno?: unknown } | undefined;
  return cause?.code === "42501" || deniedOnMariadb.has(cause?.errno);
}

const deniedOnMariadb: ReadonlySet<unknown> = new Set([1142, 1143, 1227]);

function namesOf(indexes: readonly AttributeIndex[]): string[] {
  return indexes.map(({ className, attribute }) => `${className}.${attribute}`);
}

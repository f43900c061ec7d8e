import type { AttributeIndex } from "@sallyport/storage";
import { type Database, type IndexAlignment, alignIndexes } from "@sallyport/core";
import type { Logger } from "pino";
import type { ServedDatabases } from "../databases/served-databases.ts";
import { isTemporary } from "./database-timers.ts";

/** Milliseconds before the next attempt if another process is aligning indexes. */
const pauseWhenBusy = 5_000;

/** Aligns the indexes of databases with their models. It processes one database at a time. */
export class IndexKeeper implements IndexAlignment {
  private readonly waiting = new Set<Database>();
  private readonly timers = new Set<NodeJS.Timeout>();
  /** Last failure per database, to log each only once. */
  private readonly lastFailures = new WeakMap<Database, string>();
  /** Names of the indexes over the limit of the engine, at the last alignment. */
  private readonly excess = new WeakMap<Database, string>();
  /** The alignment in progress. */
  private alignment: Promise<void> | undefined;
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
    this.alignment ??= this.alignWaiting().finally(() => (this.alignment = undefined));
  }

  /** Resolves when no work is left. */
  async settled(): Promise<void> {
    while (this.alignment !== undefined) await this.alignment;
  }

  private async alignWaiting(): Promise<void> {
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
      this.logExcess(database, namesOf(left));
      if (this.stopped || built.length + removed === 0) return;
      const durationMs = Math.round(performance.now() - startedAt);
      this.logger.info({ alias, built: namesOf(built), removed, durationMs }, "Indexes updated");
    } catch (err) {
      if (isTemporary(err) || this.isOver(database)) return;
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

  /** Logs at first and after each change. Lists by the attributes of these indexes stay slow. */
  private logExcess(database: Database, names: readonly string[]): void {
    const before = this.excess.get(database) ?? "";
    this.excess.set(database, names.join());
    if (names.length === 0 || names.join() === before) return;
    const { alias, storage } = database;
    this.logger.warn({ alias, remaining: names, limit: storage.capabilities.indexesPerTable }, "Index limit exceeded");
  }

  private retryLater(database: Database): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.begin(database);
    }, pauseWhenBusy);
    this.timers.add(timer.unref());
  }
}

/** A documented set-up gives the server an account that may not change tables. */
function isDenied(error: unknown): boolean {
  const cause = (error as Error).cause as { readonly code?: unknown; readonly errno?: unknown } | undefined;
  return cause?.code === "42501" || deniedOnMariadb.has(cause?.errno);
}

const deniedOnMariadb: ReadonlySet<unknown> = new Set([1142, 1143, 1227]);

function namesOf(indexes: readonly AttributeIndex[]): string[] {
  return indexes.map(({ className, attribute }) => `${className}.${attribute}`);
}

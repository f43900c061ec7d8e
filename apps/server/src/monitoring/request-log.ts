import { type ErrorCode, isRefusedByStorage, ServiceError } from "@sallyport/storage";
import { type SlowQueries, type TimedQuery } from "@sallyport/core";
import type { ItemRecord, RequestObserver, RequestRecord } from "@sallyport/http";
import type { Level, Logger } from "pino";

type LineLevel = Extract<Level, "error" | "warn" | "info">;

/**
 * Log levels that do not follow from the status. Some codes indicate load or guessing, others only conflicting clients.
 * None is a fault of the server.
 */
const levels: ReadonlyMap<ErrorCode | 0, LineLevel> = new Map([
  [302, "warn"],
  [306, "warn"],
  [315, "warn"],
  [607, "warn"],
  [706, "warn"],
  [713, "info"],
  [717, "info"],
  [718, "info"],
]);

/** Logs one line per request. */
export class RequestLog implements RequestObserver {
  constructor(private readonly logger: Logger) {}

  answered(record: RequestRecord): void {
    if (record.items !== undefined) this.logFailures(record.items, record.requestId, record.alias);
    const level = record.error !== undefined && isUnservable(record.error) ? "warn" : levelOf(record);
    if (!this.logger.isLevelEnabled(level)) return;
    const { error, alias, duration, items, ...facts } = record;
    const line = { ...facts, alias, durationMs: Math.round(duration * 10) / 10, ...countsOf(items) };
    if (level === "error") this.logger.error({ ...line, err: error }, "Request failed");
    else this.logger[level](withDetail(line, error), "Request completed");
  }

  /** A server fault has its own line even if the request succeeded. */
  private logFailures(items: readonly ItemRecord[], requestId: string, alias: string | null): void {
    for (const [item, { error, isRead: _, ...facts }] of items.entries()) {
      if (error !== undefined && levelOf({ ...facts, error }) === "error")
        this.logger.error({ requestId, alias, item, ...facts, err: error }, "Multi item failed");
    }
  }
}

/** Number of items of a multi request and of failed ones, and what the others wrote. */
function countsOf(items: RequestRecord["items"]): object {
  if (items === undefined) return {};
  const written = items.filter(({ code, isRead }) => code === 0 && isRead !== true);
  const writes = written.map(({ method, className, objectId }) => ({ method, className, objectId }));
  const counts = { items: items.length, failedItems: items.filter(({ code }) => code !== 0).length };
  return writes.length === 0 ? counts : { ...counts, writes };
}

/** Whether an unknown macro was requested. Any session can do that at any rate. */
function isUnservable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 710 && error.cause === undefined;
}

function levelOf({ status, code, error }: Pick<RequestRecord, "status" | "code" | "error">): LineLevel {
  // An operator must act, also on a code of conflicting clients.
  if (error !== undefined && isRefusedByStorage(error)) return "error";
  return levels.get(code) ?? (status >= 500 ? "error" : "info");
}

function withDetail<T extends object>(line: T, error: unknown): T & { detail?: string } {
  return error instanceof ServiceError && error.detail !== undefined ? { ...line, detail: error.detail } : line;
}

/** Logs slow queries with the attributes that lack an index. */
export class SlowQueryLog implements SlowQueries {
  constructor(
    private readonly logger: Logger,
    /** Milliseconds. */
    private readonly threshold: number,
  ) {}

  took({ unindexed, className, milliseconds, ...facts }: TimedQuery): void {
    if (milliseconds < this.threshold || !this.logger.isLevelEnabled("warn")) return;
    this.logger.warn({ ...facts, className, durationMs: milliseconds, missingIndexes: unindexed() }, "Slow query");
  }
}

/** Passes every record to several observers. */
export function allObservers(...observers: readonly RequestObserver[]): RequestObserver {
  return {
    answered: (record) => {
      for (const observer of observers) observer.answered(record);
    },
  };
}

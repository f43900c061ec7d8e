import { type ErrorCode, ServiceError } from "@sallyport/core";
import type { RequestObserver, RequestRecord } from "@sallyport/http";
import type { Level, Logger } from "pino";

type LineLevel = Extract<Level, "error" | "warn" | "info">;

/**
 * Failures whose status does not tell what they are: some say something about load or about guessing, and others only that
 * clients are in one another's way. None of them is a fault of the server.
 */
const levels: ReadonlyMap<ErrorCode | 0, LineLevel> = new Map([
  [302, "warn"],
  [315, "warn"],
  [607, "warn"],
  [706, "warn"],
  [713, "info"],
  [718, "info"],
]);

/** Writes one line per request. */
export class RequestLog implements RequestObserver {
  constructor(private readonly logger: Logger) {}

  answered({ error, alias, duration, ...facts }: RequestRecord): void {
    const level = levelOf(facts);
    if (!this.logger.isLevelEnabled(level)) return;
    const line = { ...facts, alias, milliseconds: Math.round(duration * 10) / 10 };
    if (level === "error") this.logger.error({ ...line, err: error }, "request failed");
    else this.logger[level](withDetail(line, error), "request");
  }
}

function levelOf({ status, code }: Pick<RequestRecord, "status" | "code">): LineLevel {
  return levels.get(code) ?? (status >= 500 ? "error" : "info");
}

function withDetail<T extends object>(line: T, error: unknown): T & { detail?: string } {
  return error instanceof ServiceError && error.detail !== undefined ? { ...line, detail: error.detail } : line;
}

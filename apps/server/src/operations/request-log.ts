import { type ErrorCode, ServiceError } from "@sallyport/core";
import type { RequestObserver, RequestRecord } from "@sallyport/http";
import type { Level, Logger } from "pino";

/** Failures that say something about load or about guessing, and nothing about a fault of the server. */
const telling: ReadonlySet<ErrorCode | 0> = new Set([302, 315, 607, 706]);

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

function levelOf({ status, code }: Pick<RequestRecord, "status" | "code">): Extract<Level, "error" | "warn" | "info"> {
  if (telling.has(code)) return "warn";
  return status >= 500 ? "error" : "info";
}

function withDetail<T extends object>(line: T, error: unknown): T & { detail?: string } {
  return error instanceof ServiceError && error.detail !== undefined ? { ...line, detail: error.detail } : line;
}

import type { IncomingMessage } from "./message.ts";

/** `Retry-After` in seconds, be it a number or a date; `undefined` without one that can be read. */
export function retryAfterOf(headers: IncomingMessage["headers"], now = Date.now()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - now) / 1000));
}

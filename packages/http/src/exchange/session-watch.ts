import type { Socket } from "node:net";
import { ServiceError } from "@sallyport/storage";
import type { RequestContext, SessionContext } from "@sallyport/core";
import { checkAdministrator } from "./administrator-checks.ts";
import { admissionOf, idleTimeoutOf, requireAppKey, requireSession } from "./admission.ts";
import type { Exchange } from "./exchange.ts";
import { contextOf } from "./request-context.ts";

/** Milliseconds between two looks at a session. Shorter for a session that could expire in between. */
const interval = { longest: 2_000, shortest: 100 };

/** Codes of the checks of app key, session and administrator. Others say that the storage cannot tell. */
const refusals: ReadonlySet<number> = new Set([101, 201, 203, 404]);

/** Bytes that are a sign of life. Less can be sent by a client, or a proxy, that only waits. */
const signOfLife = 1_024;

interface Watching {
  /** Receives the refusal, at most once, when the session has ended or the right to the request is lost. */
  readonly onEnd: (refusal: ServiceError) => void;
  /** Whether the caller still has the right to the request. Default: it cannot be lost. */
  readonly isAllowed?: (context: SessionContext) => Promise<boolean>;
}

/**
 * Watches the session of a request while its bytes arrive or leave. Bytes renew the session like a request, so it outlasts
 * a transfer that is longer than the idle time-out. It ends as ever by a log-out, and at its absolute end. A request without
 * a session can have a right to watch, as that of a link.
 */
export class SessionWatch {
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Bytes on the connection at the latest sign of life. */
  private counted: number;

  constructor(
    private readonly exchange: Exchange,
    private readonly watching: Watching,
  ) {
    this.counted = bytesOn(exchange.request.socket);
    if (exchange.isAdmitted || watching.isAllowed !== undefined) this.wait();
    else this.isClosed = true;
  }

  /** Throws what would refuse a request like this one now. */
  async require(): Promise<void> {
    const refusal = await this.refusal(false);
    if (refusal !== null) throw refusal;
  }

  /** Repeated calls have no effect. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private wait(): void {
    const pause = Math.max(interval.shortest, Math.min(interval.longest, idleTimeoutOf(this.exchange) / 4));
    this.timer = setTimeout(() => void this.look(), pause).unref();
  }

  private async look(): Promise<void> {
    const bytes = bytesOn(this.exchange.request.socket);
    const isAlive = bytes - this.counted >= signOfLife;
    let refusal: ServiceError | null = null;
    try {
      refusal = await this.refusal(isAlive);
      if (isAlive) this.counted = bytes;
    } catch {
      // The storage cannot tell. The next look asks again.
    }
    if (this.isClosed) return;
    if (refusal === null) return this.wait();
    this.close();
    this.watching.onEnd(refusal);
  }

  /** Why a request like this one would be refused now; `null` if it would not. */
  private async refusal(isAlive: boolean): Promise<ServiceError | null> {
    const { exchange } = this;
    const { isAllowed } = this.watching;
    const before = exchange.admission;
    if (exchange.isAdmitted) {
      exchange.admission = await admissionOf(exchange, isAlive ? idleTimeoutOf(exchange) : 0);
      try {
        for (const check of [requireAppKey, requireSession, checkAdministrator]) await check(exchange);
      } catch (error) {
        exchange.admission = before;
        if (error instanceof ServiceError && refusals.has(error.code)) return error;
        throw error;
      }
    }
    if (isAllowed === undefined) return null;
    const context: RequestContext = contextOf(exchange, null);
    return (await isAllowed(context as SessionContext)) ? null : new ServiceError(304);
  }
}

/** Bytes that the peer of a socket has sent, and those that the system has taken for it. */
function bytesOn({ bytesRead, bytesWritten, writableLength }: Socket): number {
  return bytesRead + bytesWritten - writableLength;
}

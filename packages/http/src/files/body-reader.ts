import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "@sallyport/storage";
import type { Connection } from "../connections/connection.ts";
import type { Pace } from "../http-settings.ts";
import { turn } from "./piece-turns.ts";

/** Milliseconds that a server may have waited in all for a client that has sent or received this many bytes. */
export function allowedWait({ silence, minRate }: Pace, bytes: number): number {
  return silence + (bytes / minRate) * 1_000;
}

/** Milliseconds between two checks of the pace, unless `silence` is short. */
const checkInterval = 1_000;

/**
 * Reads the body of a request piece by piece. Between two pieces the connection is not read, so a slow consumer slows
 * its client down and memory stays flat. Reading fails with 699 if the rest of the body cannot arrive.
 */
export class BodyReader {
  private failure: ServiceError | null = null;
  private wake: (() => void) | null = null;
  private clock: NodeJS.Timeout | null = null;
  private peeked: Buffer | null = null;
  /** `performance.now()` since when the server waits for the client; `null` if it does not wait. */
  private waitsSince: number | null = null;
  private waited = 0;
  /** Bytes of the connection before the body, and when the latest arrived. */
  private bytesBefore = 0;
  private bytesSeen = 0;
  private seenAt = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly connection: Connection,
    private readonly pace: Pace,
  ) {}

  get hasBegun(): boolean {
    return this.clock !== null;
  }

  /** Whether the body has no bytes. Waits for the first ones. */
  async isEmpty(): Promise<boolean> {
    this.peeked = await this.next();
    return this.peeked === null;
  }

  /** The pieces of the body. Ending the iteration early leaves the rest unread. */
  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let piece = await this.next(); piece !== null; piece = await this.next()) yield piece;
  }

  /** Stops reading. The rest of the body is left to the caller. `failure`: of a reading in progress. */
  close(failure = new ServiceError(699, { detail: "Reading has ended." })): void {
    this.fail(failure);
    if (this.clock === null) return;
    clearInterval(this.clock);
    for (const event of events) this.request.off(event, this.onEvent);
    this.request.off("readable", this.onEvent);
    this.connection.isStreaming = false;
  }

  private async next(): Promise<Buffer | null> {
    if (this.peeked !== null) {
      const piece = this.peeked;
      this.peeked = null;
      return piece;
    }
    if (this.clock === null && this.failure === null) this.open();
    for (;;) {
      if (this.failure !== null) throw this.failure;
      if (this.request.readableLength > 0) await turn();
      const piece = this.request.read() as Buffer | null;
      if (piece !== null) return piece;
      if (this.request.readableEnded) return null;
      // The events do not fire again for a request that is already destroyed.
      if (this.request.destroyed) throw endedEarly();
      await this.waitForClient();
    }
  }

  private open(): void {
    const { request, response, connection, pace } = this;
    this.bytesBefore = request.socket.bytesRead;
    this.clock = setInterval(() => this.checkPace(), Math.min(checkInterval, pace.silence / 4));
    this.clock.unref();
    for (const event of events) request.on(event, this.onEvent);
    request.on("readable", this.onEvent);
    connection.isStreaming = true;
    connection.onBrokenBody((reason) => this.fail(new ServiceError(699, { detail: reason })));
    if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();
  }

  private readonly onEvent = (): void => this.wake?.();

  private async waitForClient(): Promise<void> {
    const since = performance.now();
    this.waitsSince = since;
    this.seenAt = since;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    this.wake = null;
    this.waitsSince = null;
    this.waited += performance.now() - since;
  }

  private checkPace(): void {
    if (this.waitsSince === null) return;
    const now = performance.now();
    // Small pieces are gathered before the request has them, so the socket tells whether bytes arrive.
    const { bytesRead } = this.request.socket;
    if (bytesRead !== this.bytesSeen) {
      this.bytesSeen = bytesRead;
      this.seenAt = now;
    }
    const allowed = allowedWait(this.pace, bytesRead - this.bytesBefore);
    if (now - this.seenAt > this.pace.silence) this.giveUp("The client stopped sending the body.");
    else if (this.waited + now - this.waitsSince > allowed) this.giveUp("The client sends the body too slowly.");
  }

  private giveUp(reason: string): void {
    this.connection.end();
    this.fail(new ServiceError(699, { detail: reason }));
  }

  private fail(failure: ServiceError): void {
    this.failure ??= failure;
    this.wake?.();
  }
}

const events = ["end", "error", "close"] as const;

function endedEarly(): ServiceError {
  return new ServiceError(699, { detail: "The body is incomplete." });
}

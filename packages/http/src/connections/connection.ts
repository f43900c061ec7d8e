import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Begin = (request: IncomingMessage, response: ServerResponse) => void;

interface PendingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begin: Begin;
}

/**
 * One client connection. It serves requests one after another in order of arrival. A request starts after the previous
 * response is sent. Reading pauses while a request waits, so neither unread responses nor pending requests accumulate.
 */
export class Connection {
  private readonly waiting: PendingRequest[] = [];
  private serving = false;
  private closing = false;
  private leaving = false;
  /** Whether a body is read as a stream. It has time limits of its own. */
  isStreaming = false;
  private ended = false;
  /** Requests rejected because too many were waiting. */
  private excess = 0;
  private paused = false;
  private refusal: (() => void) | null = null;
  /** The most recently received request; `null` after it is complete and answered. */
  private latest: IncomingMessage | null = null;
  /** Why the rest of the latest request cannot arrive. */
  private bodyFault: string | null = null;
  private reportBrokenBody: ((reason: string) => void) | null = null;
  private received = 0;
  private sent = 0;

  /**
   * `mayWait`: maximum number of queued requests. One more is rejected and ends the connection after the pending
   * responses. As many again destroy the socket, because Node keeps what it has read until the end.
   */
  constructor(
    readonly socket: Socket,
    private readonly mayWait: number,
  ) {
    // Node resumes reading whenever it finishes a request.
    socket.on("resume", () => {
      if (this.isPaused) this.stopReading();
    });
    socket.once("close", () => {
      this.waiting.length = 0;
      this.closing = true;
      this.ended = true;
    });
  }

  /** Whether a request is being handled or answered. */
  get isServing(): boolean {
    return this.serving;
  }

  /** Whether the current response is the last one and needs `Connection: close`. */
  get isEnding(): boolean {
    return (this.closing || this.leaving) && this.waiting.length === 0 && this.refusal === null;
  }

  /** Bytes since the previous call. Includes bytes of waiting requests that have arrived. */
  takeTraffic(): { readonly received: number; readonly sent: number } {
    const { bytesRead, bytesWritten } = this.socket;
    const traffic = { received: bytesRead - this.received, sent: bytesWritten - this.sent };
    this.received = bytesRead;
    this.sent = bytesWritten;
    return traffic;
  }

  /** Handles a request now or after the pending ones. */
  take(request: IncomingMessage, response: ServerResponse, begin: Begin): void {
    if (this.excess > 0) {
      this.reject();
      return;
    }
    if (this.closing || !this.socket.writable) return;
    this.latest = request;
    if (!this.serving) {
      this.serve(request, response, begin);
    } else if (this.waiting.length < this.mayWait) {
      this.waiting.push({ request, response, begin });
      this.stopReading();
    } else {
      this.reject();
    }
  }

  /** Closes the connection after its next response. An idle connection stays open until then. */
  leave(): void {
    this.leaving = true;
  }

  /** Ends the connection after the current response, or at once if there is none. Queued requests are dropped. */
  end(): void {
    this.closing = true;
    this.waiting.length = 0;
    this.refusal = null;
    if (!this.serving) this.finish();
  }

  /**
   * Ends the connection after invalid HTTP. If a request is incomplete, that request fails. Otherwise `refuse` writes
   * the last response after the pending ones.
   */
  breakOff(refuse: () => void): void {
    if (this.latest?.complete === false) {
      this.breakBody("The framing of the body is invalid.");
    } else if (!this.closing) {
      this.refusal = refuse;
    }
    this.closing = true;
    if (!this.serving) this.finish();
  }

  /** Pauses reading until `resumeReading`. */
  pauseReading(): void {
    this.paused = true;
    this.stopReading();
  }

  resumeReading(): void {
    this.paused = false;
    if (!this.isPaused) this.socket.resume();
  }

  /** Stops reading the current request and closes the connection after the pending responses. */
  refuseRest(reason: string): void {
    this.breakBody(reason);
    this.stopReading();
    this.closing = true;
    if (!this.serving) this.finish();
  }

  /** Calls back with the reason when the rest of the current request is lost, immediately if that is already known. */
  onBrokenBody(report: (reason: string) => void): void {
    this.reportBrokenBody = report;
    if (this.bodyFault !== null && this.isBodyBroken) report(this.bodyFault);
  }

  /** Whether the rest of the current request is lost. */
  get isBodyBroken(): boolean {
    return this.bodyFault !== null && this.waiting.length === 0;
  }

  /** Whether reading is paused. */
  private get isPaused(): boolean {
    return this.paused || this.waiting.length > 0 || this.excess > 0 || this.bodyFault !== null;
  }

  /** Node stops reading on the event; `pause` does not emit it while a `resume` is pending. */
  private stopReading(): void {
    this.socket.pause();
    this.socket.emit("pause");
  }

  private breakBody(reason: string): void {
    this.bodyFault = reason;
    this.reportBrokenBody?.(reason);
  }

  private reject(): void {
    this.excess += 1;
    this.closing = true;
    if (this.excess > this.mayWait) this.socket.destroy();
  }

  private serve(request: IncomingMessage, response: ServerResponse, begin: Begin): void {
    this.serving = true;
    begin(request, response);
    // The listeners of `begin` must run first.
    response.on("close", this.served);
  }

  private readonly served = (): void => {
    this.serving = false;
    this.reportBrokenBody = null;
    if (this.latest?.complete === true) this.latest = null;
    // Node closes the connection after some responses. Later responses would then never finish.
    if (!this.socket.writable) this.end();
    const next = this.waiting.shift();
    if (next === undefined) {
      if (this.closing) this.finish();
      return;
    }
    if (!this.isPaused) this.socket.resume();
    this.serve(next.request, next.response, next.begin);
  };

  private finish(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.refusal === null || !this.socket.writable) this.socket.destroySoon();
    else this.refusal();
  }
}

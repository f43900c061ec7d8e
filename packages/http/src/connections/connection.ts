import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Begin = (request: IncomingMessage, response: ServerResponse) => void;

interface PendingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begin: Begin;
}

/**
 * One connection of a client. Its requests are served one after another, in the order in which they came: each begins
 * when the answer before it has been taken, and while one waits, nothing more is read. So neither unread answers nor
 * unserved requests pile up.
 */
export class Connection {
  private readonly waiting: PendingRequest[] = [];
  private serving = false;
  private closing = false;
  private leaving = false;
  private ended = false;
  /** Requests that were not taken because too many waited. */
  private excess = 0;
  private held = false;
  private refusal: (() => void) | null = null;
  /** The request whose bytes came last; `null` once they all came and it was answered. */
  private latest: IncomingMessage | null = null;
  /** Why the rest of the latest request will never come. */
  private bodyFault: string | null = null;
  private reportBroken: ((reason: string) => void) | null = null;

  /**
   * `mayWait`: requests that may wait for the one being served. One more is not taken, and ends the connection after
   * the answers to those that were; as many more cut it off, because Node keeps what it has read until the end.
   */
  constructor(
    readonly socket: Socket,
    private readonly mayWait: number,
  ) {
    // Node reads on whenever it has done with a request.
    socket.on("resume", () => {
      if (this.isHeld) this.stopReading();
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

  /** Whether the answer being made is the last one, and has to say so. */
  get isEnding(): boolean {
    return (this.closing || this.leaving) && this.waiting.length === 0 && this.refusal === null;
  }

  /** Begins a request when its turn has come. */
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

  /** Closes the connection after its next answer; an idle connection stays open until then. */
  leave(): void {
    this.leaving = true;
  }

  /** Ends it after the answer that is being made, at once if there is none; what waits for its turn is not served. */
  end(): void {
    this.closing = true;
    this.waiting.length = 0;
    this.refusal = null;
    if (!this.serving) this.finish();
  }

  /**
   * Ends it because what came last is no HTTP. If that was the rest of a request, the request is answered for it;
   * otherwise `refuse` is called after the answers that are due, to write the last one.
   */
  breakOff(refuse: () => void): void {
    if (this.latest?.complete === false) {
      this.breakBody("The body is no HTTP.");
    } else if (!this.closing) {
      this.refusal = refuse;
    }
    this.closing = true;
    if (!this.serving) this.finish();
  }

  /** Reads nothing until it is released. */
  hold(): void {
    this.held = true;
    this.stopReading();
  }

  release(): void {
    this.held = false;
    if (!this.isHeld) this.socket.resume();
  }

  /** Stops reading the current request and closes the connection after the pending answers. */
  refuseRest(reason: string): void {
    this.breakBody(reason);
    this.stopReading();
    this.closing = true;
    if (!this.serving) this.finish();
  }

  /** Calls back with the reason, at once if need be, when the rest of the request being served will never come. */
  onBrokenBody(tell: (reason: string) => void): void {
    this.reportBroken = tell;
    if (this.bodyFault !== null && this.isBodyBroken) tell(this.bodyFault);
  }

  /** Whether the rest of the request being served will never come. */
  get isBodyBroken(): boolean {
    return this.bodyFault !== null && this.waiting.length === 0;
  }

  /** Whether nothing more is to be read. */
  private get isHeld(): boolean {
    return this.held || this.waiting.length > 0 || this.excess > 0 || this.bodyFault !== null;
  }

  /** Node stops reading on the event; `pause` does not emit it while a `resume` is pending. */
  private stopReading(): void {
    this.socket.pause();
    this.socket.emit("pause");
  }

  private breakBody(reason: string): void {
    this.bodyFault = reason;
    this.reportBroken?.(reason);
  }

  private reject(): void {
    this.excess += 1;
    this.closing = true;
    if (this.excess > this.mayWait) this.socket.destroy();
  }

  private serve(request: IncomingMessage, response: ServerResponse, begin: Begin): void {
    this.serving = true;
    begin(request, response);
    // After what `begin` has to do then.
    response.on("close", this.served);
  }

  private readonly served = (): void => {
    this.serving = false;
    this.reportBroken = null;
    if (this.latest?.complete === true) this.latest = null;
    // After some answers Node ends the connection; whatever else would be answered then never comes to its end.
    if (!this.socket.writable) this.end();
    const next = this.waiting.shift();
    if (next === undefined) {
      if (this.closing) this.finish();
      return;
    }
    if (!this.isHeld) this.socket.resume();
    this.serve(next.request, next.response, next.begin);
  };

  private finish(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.refusal === null || !this.socket.writable) this.socket.destroySoon();
    else this.refusal();
  }
}

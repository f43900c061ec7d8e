import type { MessagePort } from "node:worker_threads";

/** Milliseconds for which a message may wait for others. */
const LONGEST = 1;

/**
 * Messages of a thread on their way out. Those of entries that run one after the other go together: to wake the other side costs more than
 * what it is told.
 */
export class Outbox<Message> {
  private readonly port: MessagePort;
  private waiting: Message[] = [];
  private since = 0;
  private holds = false;

  constructor(port: MessagePort) {
    this.port = port;
  }

  put(message: Message): void {
    if (this.waiting.length === 0) this.since = performance.now();
    this.waiting.push(message);
    if (!this.holds) this.send();
  }

  /** Keeps back what the work says until it is done. */
  hold(work: () => void): void {
    this.holds = true;
    try {
      work();
    } finally {
      this.holds = false;
      this.send();
    }
  }

  /** Asked again and again by what may run for long: what was said before is not to wait for its end. */
  sendOld(): void {
    if (this.waiting.length > 0 && performance.now() - this.since > LONGEST) this.send();
  }

  private send(): void {
    if (this.waiting.length === 0) return;
    const messages = this.waiting;
    this.waiting = [];
    this.port.postMessage(messages);
  }
}

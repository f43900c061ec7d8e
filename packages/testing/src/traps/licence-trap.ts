import type { LicenceMessage, LicenceReceiver } from "./licence-receiver.ts";
import { type TrapHost, untilFound, usualWait, type WaitOptions } from "./mail-trap.ts";

/** Receives the messages of a service about licence seats, and checks their signatures. */
export class LicenceTrap {
  readonly #host: TrapHost;
  readonly #receiver: LicenceReceiver;

  constructor(host: TrapHost, receiver: LicenceReceiver) {
    this.#host = host;
    this.#receiver = receiver;
  }

  /** The accepted messages, oldest first. Sends what is queued before. Throws an `Error` for an invalid signature. */
  async all(type?: LicenceMessage["type"]): Promise<readonly LicenceMessage[]> {
    await this.#host.deliver();
    const { faults, accepted } = this.#receiver;
    if (faults.length > 0) throw new Error(faults.join("\n"));
    return accepted.filter((message) => type === undefined || message.type === type);
  }

  /** The newest accepted message of a type. Waits for one. */
  async latest(type: LicenceMessage["type"], { within = usualWait }: WaitOptions = {}): Promise<LicenceMessage> {
    const onEvent = (listener: () => void) => {
      const ends = [this.#host.onAnswered(listener), this.#receiver.onMessage(listener)];
      return () => ends.forEach((end) => end());
    };
    const found = await untilFound(async () => (await this.all(type)).at(-1), onEvent, within);
    if (found === undefined) throw new Error(`No message ${type} within ${within} ms.`);
    return found;
  }

  /** Messages that were refused. The service repeats them later: advance the clock. */
  get refused(): readonly LicenceMessage[] {
    return this.#receiver.refused;
  }

  /** Refuses the next messages, by default with 503. */
  refuse(times: number, status = 503): void {
    let left = times;
    this.#receiver.answering = () => {
      left -= 1;
      return left >= 0 ? status : 204;
    };
  }

  /** Forgets all messages and accepts the next ones. */
  clear(): void {
    const { accepted, refused, faults } = this.#receiver;
    for (const list of [accepted, refused, faults]) list.length = 0;
    this.refuse(0);
  }
}

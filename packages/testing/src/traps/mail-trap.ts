import { type TrappedMail, trappedMail } from "./trapped-mail.ts";

/** How long a trap waits, in milliseconds. */
export interface WaitOptions {
  /** Default: 2,000. */
  readonly within?: number;
}

export const usualWait = 2_000;

/** The service behind a trap. */
export interface TrapHost {
  /** Sends everything that is queued. */
  readonly deliver: () => Promise<void>;
  /** Calls a function after each answered request. Returns a function that ends this. */
  readonly onAnswered: (listener: () => void) => () => void;
}

/** Receives all mail of a service instead of a relay. */
export class MailTrap {
  readonly #host: TrapHost;
  readonly #received: TrappedMail[];

  /** `received` is filled by the transport of the service. */
  constructor(host: TrapHost, received: TrappedMail[]) {
    this.#host = host;
    this.#received = received;
  }

  /** All mail to an address, or all mail, oldest first. Sends what is queued before. */
  async all(address?: string): Promise<readonly TrappedMail[]> {
    await this.#host.deliver();
    return this.#received.filter(({ to }) => address === undefined || to === address);
  }

  /**
   * The newest mail to an address. Without one, waits for the requests in progress to queue it. Rejects with an `Error`
   * that names the received mail.
   */
  async latest(address: string, { within = usualWait }: WaitOptions = {}): Promise<TrappedMail> {
    const find = async () => (await this.all(address)).at(-1);
    const found = await untilFound(find, this.#host.onAnswered, within);
    if (found !== undefined) return found;
    const others = this.#received.map(({ to, subject }) => `${to}: ${subject}`);
    const seen = others.length === 0 ? "There is no other mail." : `Received mail:\n  ${others.join("\n  ")}`;
    throw new Error(`No mail to ${address} within ${within} ms. ${seen}`);
  }

  /** Forgets the received mail. */
  clear(): void {
    this.#received.length = 0;
  }
}

/** A mail transport that keeps each mail. */
export function mailTransport(received: TrappedMail[]) {
  return {
    send: async (mail: Omit<TrappedMail, "codes" | "links">) => {
      received.push(trappedMail(mail));
      return { kind: "sent" } as const;
    },
    close: async () => {},
  };
}

/** The first result of `find` that is not `undefined`. Looks again after each event, until the time is over. */
export async function untilFound<T>(
  find: () => Promise<T | undefined>,
  onEvent: (listener: () => void) => () => void,
  within: number,
): Promise<T | undefined> {
  const deadline = Date.now() + within;
  for (;;) {
    let wake = () => {};
    const event = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const end = onEvent(wake);
    const timer = setTimeout(wake, Math.max(0, deadline - Date.now()));
    try {
      const found = await find();
      if (found !== undefined || Date.now() >= deadline) return found;
      await event;
    } finally {
      clearTimeout(timer);
      end();
    }
  }
}

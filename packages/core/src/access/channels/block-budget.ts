import { type Digest, LruCache } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { type AppKeyContext, Turns, type TurnTaker } from "../../request/index.ts";
import type { Spent } from "./channel-ciphers.ts";
import type { KnownClientKeys } from "./known-client-keys.ts";

export interface BlockBudgetOptions {
  /** Share of a processor that log-ins without success of one network may take in the long run; 0: unlimited. */
  readonly share: number;
  /** Messages that are decrypted at once. */
  readonly concurrency: number;
  /** Starts a timer in milliseconds; the result cancels it. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
  /** The clock of this process, in milliseconds. */
  readonly now: () => number;
}

/** An encrypted log-in before its decryption. */
export interface EncryptedLogIn {
  readonly clientKey: Digest;
  /** Length of the RSA blocks, in characters. */
  readonly length: number;
}

/** Decrypts in turn. `spent` takes the milliseconds of processor time. */
export type InTurn = <Opened>(open: (spent: Spent) => Promise<Opened>) => Promise<Opened>;

/** Milliseconds after which an unused budget is full. */
const period = 60_000;
/** Messages of one place in progress, delayed refusals included. */
const maxInProgress = 64;
/** Places that are kept. Clients choose networks, so the number is limited. */
const keptPlaces = 10_000;
/** Characters of the longest message that is decrypted. */
const maxLength = 16_384;
/** Weight of a new measurement in the price. */
const priceWeight = 0.2;
/** Milliseconds that a message waits for its decryption. */
const queueTimeout = 30_000;

/** A network, or a client key that is known there. */
interface Place {
  readonly name: string;
  inProgress: number;
  /** Time at which the budget is full again. */
  fullAt: number;
}

/**
 * Bounds the decryption of log-ins. It costs some milliseconds per block before anything is known of the client. A
 * network has a budget of processor time, which log-ins that succeed give back. A client key that has logged in from the
 * network has a budget of its own, for when that of the network is used up. Messages are decrypted in turns by places.
 *
 * Budgets belong to a process, like the processor time that they protect.
 */
export class BlockBudget {
  private readonly places = new LruCache<string, Place>(keptPlaces);
  private readonly turns: Turns;
  /** Milliseconds per character, as measured. */
  private price = 0.01;

  constructor(
    private readonly known: KnownClientKeys,
    private readonly options: BlockBudgetOptions,
  ) {
    const { concurrency, after } = options;
    this.turns = new Turns({ turns: concurrency, timeout: queueTimeout, maxWaiting: Number.POSITIVE_INFINITY }, after);
  }

  /**
   * Runs the work, which decrypts one message. Returns its outcome, and a function to call when the log-in has succeeded.
   * Throws 706 beyond the budget.
   */
  async run<T>(
    context: AppKeyContext,
    message: EncryptedLogIn,
    work: (inTurn: InTurn) => Promise<T>,
  ): Promise<{ readonly outcome: T; readonly succeeded: () => void }> {
    const length = Math.min(message.length, maxLength);
    const expected = length * this.price;
    const place = await this.placeOf(context, message, expected);
    place.inProgress += 1;
    let charged = 0;
    const chargeInAll = (milliseconds: number): void => {
      this.charge(place, milliseconds - charged);
      charged = milliseconds;
    };
    chargeInAll(expected);
    let isMeasured = false;
    const spent: Spent = (milliseconds) => {
      isMeasured = true;
      chargeInAll(milliseconds);
      this.price += priceWeight * (milliseconds / length - this.price);
    };
    const taker: TurnTaker = {
      person: place.name,
      session: place.name,
      onDisconnect: context.onDisconnect ?? (() => () => {}),
    };
    try {
      const outcome = await work(async (open) => {
        const left = (): ServiceError => new ServiceError(699, { detail: "The client has disconnected." });
        const turn = await this.turns.take(taker, false, left);
        try {
          return await open(spent);
        } finally {
          this.turns.end(turn);
        }
      });
      const succeeded = (): void => {
        chargeInAll(0);
        this.known.note(context, message.clientKey);
      };
      return { outcome, succeeded };
    } finally {
      // A message that is no whole block is not decrypted.
      if (!isMeasured) chargeInAll(0);
      place.inProgress -= 1;
    }
  }

  /** The network, or the client key if it is known there and the network cannot take the message. */
  private async placeOf(context: AppKeyContext, { clientKey }: EncryptedLogIn, expected: number): Promise<Place> {
    const { network } = context.origin;
    const shared = this.place(`network ${network}`);
    const wait = this.waitFor(shared, expected);
    if (wait === 0) return shared;
    if (await this.known.includes(context, clientKey)) {
      const own = this.place(`network ${network} key ${clientKey}`);
      if (this.waitFor(own, expected) === 0) return own;
    }
    throw new ServiceError(706, {
      retryAfter: Math.ceil(wait / 1000),
      detail: "Too many encrypted log-ins from this network are in progress, or have failed.",
    });
  }

  private place(name: string): Place {
    let place = this.places.get(name);
    if (place === undefined) this.places.set(name, (place = { name, inProgress: 0, fullAt: 0 }));
    return place;
  }

  /** Milliseconds until the place can take a message of this cost; 0 if it can. */
  private waitFor({ inProgress, fullAt }: Place, expected: number): number {
    const { share, now } = this.options;
    if (inProgress >= maxInProgress) return 1_000;
    if (share === 0) return 0;
    return Math.max(0, fullAt + expected / share - now() - period);
  }

  private charge(place: Place, milliseconds: number): void {
    const { share, now } = this.options;
    if (share > 0) place.fullAt = Math.max(place.fullAt, now()) + milliseconds / share;
  }
}

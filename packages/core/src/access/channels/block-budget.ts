import { type Digest, LruCache, ServiceError } from "@sallyport/storage";
import { type ProcessorBudget, Turns, type TurnTaker, usedUp } from "../../capacity/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type { Spent } from "./channel-ciphers.ts";
import type { KnownClientKeys } from "./known-client-keys.ts";

export interface BlockBudgetOptions {
  readonly budget: ProcessorBudget;
  /** Messages that are decrypted at once. */
  readonly concurrency: number;
  /** Starts a timer in milliseconds; the result cancels it. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/** An encrypted log-in before its decryption. */
export interface EncryptedLogIn {
  /** Digest of the client key as sent. */
  readonly clientKey: Digest;
  /** Length of the RSA blocks, in characters. */
  readonly length: number;
}

export interface LogInWork {
  /** Decrypts in turn. `spent` takes the milliseconds of processor time. */
  readonly inTurn: <Opened>(open: (spent: Spent) => Promise<Opened>) => Promise<Opened>;
  /** Does other work, which costs as well. */
  readonly timed: <Outcome>(work: () => Outcome) => Outcome;
}

/** Messages of one place in progress, delayed refusals included. */
const maxInProgress = 64;
/** Maximum number of places. Clients choose networks, so the number is limited. */
const maxPlaces = 10_000;
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
}

/**
 * Bounds the work for encrypted log-ins. It costs some milliseconds per block before anything is known of the client. A
 * network has a budget of processor time, which log-ins that succeed give back. A client key that has logged in from the
 * network has a budget of its own, for when that of the network is used up. Messages are decrypted in turns by places.
 */
export class BlockBudget {
  private readonly places = new LruCache<string, Place>(maxPlaces);
  private readonly turns: Turns;
  /** Milliseconds per character, as measured. */
  private price = 0.01;

  constructor(
    private readonly clientKeys: KnownClientKeys,
    private readonly options: BlockBudgetOptions,
  ) {
    const { concurrency, after } = options;
    this.turns = new Turns({ turns: concurrency, timeout: queueTimeout, maxWaiting: Number.POSITIVE_INFINITY }, after);
  }

  /**
   * Runs the work, which opens one message. Returns its outcome, and a function to call when the log-in has succeeded.
   * Throws 706 beyond the budget.
   */
  async run<T>(
    context: AppKeyContext,
    message: EncryptedLogIn,
    work: (parts: LogInWork) => Promise<T>,
  ): Promise<{ readonly outcome: T; readonly succeeded: () => void }> {
    const length = Math.min(message.length, maxLength);
    const expected = length * this.price;
    const place = await this.placeOf(context, message, expected);
    place.inProgress += 1;
    const { budget } = this.options;
    let [decryption, others, charged] = [expected, 0, 0];
    const charge = (): void => {
      budget.charge(place.name, decryption + others - charged);
      charged = decryption + others;
    };
    charge();
    let isMeasured = false;
    const spent: Spent = (milliseconds) => {
      isMeasured = true;
      decryption = milliseconds;
      charge();
      this.price += priceWeight * (milliseconds / length - this.price);
    };
    const timed = <Outcome>(task: () => Outcome): Outcome => {
      const startedAt = budget.now;
      try {
        return task();
      } finally {
        others += budget.now - startedAt;
        charge();
      }
    };
    const inTurn: LogInWork["inTurn"] = async (open) => {
      const left = (): ServiceError => new ServiceError(699, { detail: "The client has disconnected." });
      const turn = await this.turns.take(taker, false, left);
      try {
        return await open(spent);
      } finally {
        this.turns.end(turn);
      }
    };
    const taker: TurnTaker = {
      person: place.name,
      session: place.name,
      onDisconnect: context.onDisconnect ?? (() => () => {}),
    };
    try {
      const outcome = await work({ inTurn, timed });
      const succeeded = (): void => {
        [decryption, others] = [0, 0];
        charge();
        this.clientKeys.note(context, message.clientKey);
      };
      return { outcome, succeeded };
    } finally {
      // A message that is not a whole block is not decrypted.
      if (!isMeasured) decryption = 0;
      charge();
      place.inProgress -= 1;
    }
  }

  /** The network, or the client key if it is known there and the network cannot take the message. */
  private async placeOf(context: AppKeyContext, { clientKey }: EncryptedLogIn, expected: number): Promise<Place> {
    const { network } = context.origin;
    const shared = this.place(`log-ins ${network}`);
    const wait = this.waitFor(shared, expected);
    if (wait === 0) return shared;
    if (await this.clientKeys.includes(context, clientKey)) {
      const own = this.place(`log-ins ${network} ${clientKey}`);
      if (this.waitFor(own, expected) === 0) return own;
    }
    throw usedUp(wait, "Too many encrypted log-ins from this network are in progress, or have failed.");
  }

  private place(name: string): Place {
    let place = this.places.get(name);
    if (place === undefined) this.places.set(name, (place = { name, inProgress: 0 }));
    return place;
  }

  /** Milliseconds until the place can take a message of this cost; 0 if it can. */
  private waitFor({ name, inProgress }: Place, expected: number): number {
    return inProgress >= maxInProgress ? 1_000 : this.options.budget.waitFor(name, expected);
  }
}

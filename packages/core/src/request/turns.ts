import { ServiceError } from "../errors/index.ts";

/** Starts a timer in milliseconds; the result cancels it. */
type After = (milliseconds: number, call: () => void) => () => void;

export interface TurnLimits {
  /** Maximum number of turns at once: the connections of the storage. `null`: unlimited. */
  readonly turns: number | null;
  /** Milliseconds that a call waits for its turn. */
  readonly timeout: number;
  /** Maximum number of waiting calls. Those of one person take half of the places at most. */
  readonly maxWaiting: number;
}

/** On whose behalf calls are made. */
export interface TurnTaker {
  readonly person: string;
  /** The session of the person, or any other part of the work. */
  readonly session: string;
  /** Calls `call` when the client disconnects. Returns a function to unsubscribe. */
  readonly onDisconnect: (call: () => void) => () => void;
}

/** A waiting call. */
interface Waiter {
  readonly session: string;
  readonly begin: () => void;
}

interface Person {
  readonly name: string;
  running: number;
  waiting: number;
  /** The waiting calls by session. The sessions are in the order of their next turns. */
  readonly sessions: Map<string, Waiter[]>;
}

/**
 * Shares the connections of a storage between persons. Turns go round by persons, and those of one person by sessions. One
 * person has at most half of the turns. No person has two turns in a row while another one waits.
 *
 * Several storages can share the turns, as they share a pool. Processes do not: each has a pool of its own.
 */
export class Turns {
  private running = 0;
  private total = 0;
  private readonly half: number;
  private readonly persons = new Map<string, Person>();
  /** The persons who wait, in the order of their next turns. */
  private readonly round: Person[] = [];
  private latest: Person | undefined;

  constructor(
    private readonly limits: TurnLimits,
    private readonly after: After,
  ) {
    this.half = Math.max(1, Math.floor((limits.turns ?? Number.POSITIVE_INFINITY) / 2));
  }

  /** Number of waiting calls. */
  get waiting(): number {
    return this.total;
  }

  /**
   * Takes a turn. Resolves when it begins; `undefined` if that is at once. `end` must follow. Rejects with 607 if too many
   * calls wait or the time is over, and with the error of `leave`, if there is one when the client disconnects.
   */
  take(taker: TurnTaker, leave: () => ServiceError | undefined): Promise<void> | undefined {
    const { turns } = this.limits;
    const person = this.personOf(taker.person);
    if (turns === null || (this.running < turns && person.running < this.half)) {
      this.begin(person);
      return undefined;
    }
    return this.wait(person, taker, leave);
  }

  /** Ends a turn of the person. */
  end(name: string): void {
    const person = this.personOf(name);
    this.running -= 1;
    person.running -= 1;
    this.forgetIdle(person);
    for (let next = this.next(); next !== undefined; next = this.next()) next.begin();
  }

  private personOf(name: string): Person {
    let person = this.persons.get(name);
    if (person === undefined) {
      person = { name, running: 0, waiting: 0, sessions: new Map() };
      this.persons.set(name, person);
    }
    return person;
  }

  private begin(person: Person): void {
    this.running += 1;
    person.running += 1;
    this.latest = person;
  }

  private wait(person: Person, taker: TurnTaker, leave: () => ServiceError | undefined): Promise<void> {
    const { maxWaiting, timeout } = this.limits;
    if (this.total >= maxWaiting || person.waiting >= maxWaiting / 2) {
      this.forgetIdle(person);
      return Promise.reject(exhausted("Too many requests wait for a connection."));
    }
    return new Promise((resolve, reject) => {
      let endings: readonly (() => void)[] = [];
      const settle = (): void => {
        for (const end of endings) end();
      };
      const waiter: Waiter = {
        session: taker.session,
        begin: () => {
          settle();
          resolve();
        },
      };
      const giveUp = (error: ServiceError): void => {
        settle();
        this.remove(person, waiter);
        reject(error);
      };
      this.add(person, waiter);
      endings = [
        this.after(timeout, () => giveUp(exhausted("No connection became available in time."))),
        taker.onDisconnect(() => {
          const error = leave();
          if (error !== undefined) giveUp(error);
        }),
      ];
    });
  }

  private add(person: Person, waiter: Waiter): void {
    const { sessions } = person;
    const queue = sessions.get(waiter.session);
    if (queue === undefined) sessions.set(waiter.session, [waiter]);
    else queue.push(waiter);
    if (person.waiting === 0) this.round.push(person);
    person.waiting += 1;
    this.total += 1;
  }

  private remove(person: Person, waiter: Waiter): void {
    const { session } = waiter;
    const queue = person.sessions.get(session) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) person.sessions.delete(session);
    this.removed(person);
    if (person.waiting === 0) this.round.splice(this.round.indexOf(person), 1);
    this.forgetIdle(person);
  }

  /** Gives a free turn to the first waiting call that may have it. */
  private next(): Waiter | undefined {
    if (this.total === 0 || this.running >= (this.limits.turns ?? Number.POSITIVE_INFINITY)) return undefined;
    const eligible = this.round.filter(({ running }) => running < this.half);
    const person = eligible.find((each) => each !== this.latest) ?? eligible[0];
    if (person === undefined) return undefined;
    this.round.splice(this.round.indexOf(person), 1);
    const waiter = firstOf(person.sessions);
    this.removed(person);
    if (person.waiting > 0) this.round.push(person);
    this.begin(person);
    return waiter;
  }

  private removed(person: Person): void {
    person.waiting -= 1;
    this.total -= 1;
  }

  private forgetIdle(person: Person): void {
    if (person.running === 0 && person.waiting === 0) this.persons.delete(person.name);
  }
}

/** Takes the first call of the first session, which becomes the last one. */
function firstOf(sessions: Person["sessions"]): Waiter | undefined {
  for (const [session, queue] of sessions) {
    const waiter = queue.shift();
    sessions.delete(session);
    if (queue.length > 0) sessions.set(session, queue);
    return waiter;
  }
  return undefined;
}

function exhausted(detail: string): ServiceError {
  return new ServiceError(607, { detail, retryAfter: 1 });
}

import { ServiceError } from "@sallyport/storage";
import type { LoopShare } from "./loop-share.ts";

/** Starts a timer in milliseconds; the result cancels it. */
type After = (milliseconds: number, call: () => void) => () => void;

export interface TurnLimits {
  /** Maximum number of turns at once: the connections of the storage. `null`: unlimited. */
  readonly turns: number | null;
  /** Milliseconds that a call waits for its turn. */
  readonly timeout: number;
  /** Maximum number of waiting calls. Those of one person take half of the places at most. */
  readonly maxWaiting: number;
  /** What the server says where no turn can be had. Default: that no connection is free. */
  readonly detail?: string;
}

/** On whose behalf calls are made. */
export interface TurnTaker {
  readonly person: string;
  /** The session of the person, or any other part of the work. */
  readonly session: string;
  /** Calls `call` when the client disconnects. Returns a function to unsubscribe. */
  readonly onDisconnect: (call: () => void) => () => void;
}

/** Rows that are written in one turn: adapters send the statements of one moment over one connection. */
const rowsInTurn = 8;

/** A turn of a person, until its last call ends. The other calls can be those of others. */
export interface Turn {
  calls: number;
  readonly person: Person;
}

/** A waiting call. */
interface Waiter {
  readonly session: string;
  readonly writesRow: boolean;
  readonly begin: (turn: Turn) => void;
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
 * person has at most half of the turns. No person has two turns in a row while another one waits. Calls of one person that
 * each write a row share a turn if they begin at the same moment.
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
  /** The turn that began at this moment with a row to write. */
  private shared: Turn | undefined;

  constructor(
    private readonly limits: TurnLimits,
    private readonly after: After,
    private readonly loop?: LoopShare,
  ) {
    this.half = Math.max(1, Math.floor((limits.turns ?? Number.POSITIVE_INFINITY) / 2));
  }

  /** Number of waiting calls. */
  get waiting(): number {
    return this.total;
  }

  /**
   * Takes a turn, or a part of one for a call that writes one row. Returns it, or a promise of it if the call waits. `end`
   * must follow. Rejects with 607 if too many calls wait or the time is over, and with the error of `leave`, if there is one
   * when the client disconnects.
   */
  take(taker: TurnTaker, writesRow: boolean, leave: () => ServiceError | undefined): Turn | Promise<Turn> {
    const { shared } = this;
    if (writesRow && shared !== undefined && shared.calls < rowsInTurn) {
      shared.calls += 1;
      return shared;
    }
    const { turns } = this.limits;
    const person = this.personOf(taker.person);
    if (turns !== null && (this.running >= turns || person.running >= this.half))
      return this.wait(person, taker, writesRow, leave);
    const turn = this.begin(person);
    if (writesRow) this.share(turn);
    return turn;
  }

  /**
   * Resolves when the event loop may go on with the person's work after a call; `undefined`: at once. The results of many
   * calls can arrive at the same moment. Work on them goes round by persons: after some milliseconds, the event loop first
   * serves what else has arrived, and takes up one call at a time.
   */
  resume({ person }: Turn): Promise<void> | undefined {
    return this.loop?.enter(person.name);
  }

  /** Ends a call in the turn. */
  end(turn: Turn): void {
    turn.calls -= 1;
    if (turn.calls > 0) return;
    const { person } = turn;
    if (this.shared === turn) this.shared = undefined;
    this.running -= 1;
    person.running -= 1;
    this.forgetIdle(person);
    while (this.total > 0 && this.beginNext());
  }

  private share(turn: Turn): void {
    this.shared = turn;
    void Promise.resolve().then(() => {
      if (this.shared === turn) this.shared = undefined;
    });
  }

  private personOf(name: string): Person {
    let person = this.persons.get(name);
    if (person === undefined) {
      person = { name, running: 0, waiting: 0, sessions: new Map() };
      this.persons.set(name, person);
    }
    return person;
  }

  private begin(person: Person): Turn {
    this.running += 1;
    person.running += 1;
    this.latest = person;
    return { calls: 1, person };
  }

  private wait(
    person: Person,
    taker: TurnTaker,
    writesRow: boolean,
    leave: () => ServiceError | undefined,
  ): Promise<Turn> {
    const { maxWaiting, timeout, detail } = this.limits;
    if (this.total >= maxWaiting || person.waiting >= maxWaiting / 2) {
      this.forgetIdle(person);
      return Promise.reject(exhausted(detail ?? "Too many requests wait for a connection."));
    }
    return new Promise((resolve, reject) => {
      let endings: readonly (() => void)[] = [];
      const settle = (): void => {
        for (const end of endings) end();
      };
      const waiter: Waiter = {
        session: taker.session,
        writesRow,
        begin: (turn) => {
          settle();
          resolve(turn);
        },
      };
      const giveUp = (error: ServiceError): void => {
        settle();
        this.remove(person, waiter);
        reject(error);
      };
      this.add(person, waiter);
      endings = [
        this.after(timeout, () => giveUp(exhausted(detail ?? "No connection became available in time."))),
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

  /** Gives a free turn to the first waiting call that may have it. Returns whether there was one. */
  private beginNext(): boolean {
    if (this.running >= (this.limits.turns ?? Number.POSITIVE_INFINITY)) return false;
    const eligible = this.round.filter(({ running }) => running < this.half);
    const person = eligible.find((each) => each !== this.latest) ?? eligible[0];
    if (person === undefined) return false;
    const turn = this.begin(person);
    if (this.beginOne(person, turn).writesRow) this.fill(turn);
    return true;
  }

  /** Begins waiting calls that write one row each, in a turn of such a call. */
  private fill(turn: Turn): void {
    while (turn.calls < rowsInTurn) {
      const next = this.round.find((each) => firstOf(each).writesRow);
      if (next === undefined) return;
      turn.calls += 1;
      this.beginOne(next, turn);
    }
  }

  /** Begins the first call of the person's first session. Person and session become the last ones. */
  private beginOne(person: Person, turn: Turn): Waiter {
    const { sessions } = person;
    const waiter = firstOf(person);
    const queue = sessions.get(waiter.session) ?? [];
    queue.shift();
    sessions.delete(waiter.session);
    if (queue.length > 0) sessions.set(waiter.session, queue);
    this.round.splice(this.round.indexOf(person), 1);
    this.removed(person);
    if (person.waiting > 0) this.round.push(person);
    else this.forgetIdle(person);
    waiter.begin(turn);
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

/** The first call of a person who waits. */
function firstOf({ sessions }: Person): Waiter {
  const [queue] = sessions.values();
  return (queue as Waiter[])[0] as Waiter;
}

function exhausted(detail: string): ServiceError {
  return new ServiceError(607, { detail, retryAfter: 1 });
}

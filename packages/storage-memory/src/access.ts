import { ServiceError } from "@sallyport/core";
import { commitState, forkState, type State } from "./state.ts";

/** Work on the state at one moment; it never waits, so nothing comes in between. */
type Work<T> = (state: State, now: number) => T;

/** How repositories reach the state: outside of transactions or inside of one. */
export interface Access {
  /** For work that changes nothing. */
  read<T>(work: Work<T>): Promise<T>;

  /** For work that changes something: all of it is kept, or nothing if it throws. */
  write<T>(work: Work<T>): Promise<T>;
}

/** Passes work on and keeps its answers, so that no failure among them is overlooked. */
export class NotingAccess implements Access {
  private readonly noted: Promise<unknown>[] = [];

  constructor(private readonly access: Access) {}

  read<T>(work: Work<T>): Promise<T> {
    return this.note(this.access.read(work));
  }

  write<T>(work: Work<T>): Promise<T> {
    return this.note(this.access.write(work));
  }

  /** Rejects if one of those that were asked for by now fails. */
  async answers(): Promise<void> {
    await Promise.all(this.noted);
  }

  private note<T>(answer: Promise<T>): Promise<T> {
    this.noted.push(answer);
    return answer;
  }
}

/** The state as one transaction sees it, for as long as the transaction runs. */
export class TransactionAccess implements Access {
  private ended = false;

  constructor(
    private state: State,
    private readonly time: () => number,
  ) {}

  get running(): boolean {
    return !this.ended;
  }

  end(): void {
    this.ended = true;
  }

  /** Does a part on a fork of its own, which is kept if it does not throw. */
  async attempt<T>(part: () => Promise<T>): Promise<T> {
    this.checkRunning();
    const whole = this.state;
    const fork = forkState(whole);
    this.state = fork;
    try {
      const result = await part();
      commitState(fork);
      return result;
    } finally {
      this.state = whole;
    }
  }

  async read<T>(work: Work<T>): Promise<T> {
    this.checkRunning();
    return work(this.state, this.time());
  }

  async write<T>(work: Work<T>): Promise<T> {
    this.checkRunning();
    const fork = forkState(this.state);
    const result = work(fork, this.time());
    commitState(fork);
    return result;
  }

  private checkRunning(): void {
    if (this.ended) throw new ServiceError(799, { detail: "The transaction is over." });
  }
}

/** Lets work happen one after the other, in the order of arrival. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T> | T): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => {});
    return turn;
  }
}

import { ServiceError } from "@sallyport/storage";
import { commitState, forkState, type State } from "./state.ts";

/** Synchronous work on the state, so that it is atomic. */
type Work<T> = (state: State, now: number) => T;

/** Access of repositories to the state, outside or inside a transaction. */
export interface Access {
  /** For read-only work. */
  read<T>(work: Work<T>): Promise<T>;

  /** For writes; an error undoes all of them. */
  write<T>(work: Work<T>): Promise<T>;
}

/** Passes work on and records its answers, so that no failure goes unnoticed. */
export class TrackedAccess implements Access {
  private readonly pending: Promise<unknown>[] = [];

  constructor(private readonly access: Access) {}

  read<T>(work: Work<T>): Promise<T> {
    return this.track(this.access.read(work));
  }

  write<T>(work: Work<T>): Promise<T> {
    return this.track(this.access.write(work));
  }

  /** Rejects if one of the calls so far fails. */
  async answers(): Promise<void> {
    await Promise.all(this.pending);
  }

  private track<T>(answer: Promise<T>): Promise<T> {
    this.pending.push(answer);
    return answer;
  }
}

/** The state as seen by one open transaction. */
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

  /** Runs a nested transaction on its own fork, which is committed unless the work throws. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    this.checkRunning();
    const outer = this.state;
    const fork = forkState(outer);
    this.state = fork;
    try {
      const result = await work();
      commitState(fork);
      return result;
    } finally {
      this.state = outer;
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
    if (this.ended) throw new ServiceError(799, { detail: "The transaction has ended." });
  }
}

/** Runs work sequentially, in order of arrival. */
export class Mutex {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T> | T): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => {});
    return turn;
  }
}

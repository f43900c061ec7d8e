/** What a process has of its event loop. */
export interface EventLoop {
  /** Calls `call` after what has arrived is served. */
  readonly next: (call: () => void) => void;
  /** A monotonic clock, in milliseconds. */
  readonly clock: { now(): number };
}

/** Milliseconds of work on results, after which the event loop serves what else has arrived. */
const slice = 4;

/**
 * Most iterations without work on results after a long one. The request of another person takes about as many from its
 * arrival to its answer. Where there is none, they take microseconds.
 */
const mostResting = 8;

/**
 * Shares the event loop between persons. The results of many calls can arrive at the same moment, and work on each can
 * take long: without a share, another person's request would wait for all of it. The work goes round by persons.
 */
export class LoopShare {
  /** When the present iteration of the event loop began its work on results; `undefined` while there is none. */
  private began: number | undefined;
  /** Results to take up per iteration: as many as fill a slice, as measured in the previous one. */
  private atOnce = 1;
  /** Iterations without work on results that follow. */
  private resting = 0;
  /** What waits, by person. The persons are in the order of their next results. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly loop: EventLoop) {}

  /** Resolves when the person's work on a result may begin; `undefined`: at once. */
  enter(person: string): Promise<void> | undefined {
    if (this.began === undefined) {
      this.began = this.loop.clock.now();
      this.loop.next(this.renew);
      return undefined;
    }
    if (this.waiting.size === 0 && this.loop.clock.now() - this.began < slice) return undefined;
    return new Promise((resolve) => {
      const queue = this.waiting.get(person);
      if (queue === undefined) this.waiting.set(person, [resolve]);
      else queue.push(resolve);
    });
  }

  private readonly renew = (): void => {
    if (this.resting > 0) {
      this.resting -= 1;
      this.loop.next(this.renew);
      return;
    }
    if (this.waiting.size === 0) {
      this.began = undefined;
      return;
    }
    const now = this.loop.clock.now();
    const took = now - (this.began ?? 0);
    this.atOnce = Math.max(1, Math.min(2 * this.atOnce, Math.floor((this.atOnce * slice) / took)));
    if (took >= 2 * slice) this.resting = Math.min(mostResting, Math.ceil(took / slice));
    this.began = now;
    this.loop.next(this.renew);
    for (let count = 0; count < this.atOnce; count += 1) this.takeUpOne();
  };

  private takeUpOne(): void {
    const [next] = this.waiting;
    if (next === undefined) return;
    const [person, queue] = next;
    this.waiting.delete(person);
    queue.shift()?.();
    if (queue.length > 0) this.waiting.set(person, queue);
  }
}

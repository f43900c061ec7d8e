/** The event loop of a process. */
export interface EventLoop {
  /** Calls `call` in the next iteration, after what has arrived is served. */
  readonly next: (call: () => void) => void;
  /** A monotonic clock, in milliseconds. */
  readonly clock: { now(): number };
}

/** Milliseconds of work on results, after which the event loop serves what else has arrived. */
const slice = 4;

/**
 * Maximum number of iterations without work on results after a long one. The request of another person takes about as
 * many from its arrival to its answer. Without such a request, they take microseconds.
 */
const maxRests = 8;

/**
 * Shares the event loop between persons. The results of many calls can arrive at the same moment, and work on each can
 * take long: without a share, another person's request would wait for all of it. The work goes round by persons.
 */
export class LoopShare {
  /** When the current iteration started its work on results; `undefined` without such work. */
  private startedAt: number | undefined;
  /** Number of results per iteration: as many as fill a slice, as measured in the previous one. */
  private perIteration = 1;
  /** Number of iterations without work on results that follow. */
  private rests = 0;
  /** The waiting results, by person. The persons are in the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly loop: EventLoop) {}

  /** Resolves when the person's work on a result may begin; `undefined`: at once. */
  enter(person: string): Promise<void> | undefined {
    if (this.startedAt === undefined) {
      this.startedAt = this.loop.clock.now();
      this.loop.next(this.iterate);
      return undefined;
    }
    if (this.waiting.size === 0 && this.loop.clock.now() - this.startedAt < slice) return undefined;
    return new Promise((resolve) => {
      const queue = this.waiting.get(person);
      if (queue === undefined) this.waiting.set(person, [resolve]);
      else queue.push(resolve);
    });
  }

  private readonly iterate = (): void => {
    if (this.rests > 0) {
      this.rests -= 1;
      this.loop.next(this.iterate);
      return;
    }
    if (this.waiting.size === 0) {
      this.startedAt = undefined;
      return;
    }
    const now = this.loop.clock.now();
    const duration = now - (this.startedAt ?? 0);
    this.perIteration = Math.max(
      1,
      Math.min(2 * this.perIteration, Math.floor((this.perIteration * slice) / duration)),
    );
    if (duration >= 2 * slice) this.rests = Math.min(maxRests, Math.ceil(duration / slice));
    this.startedAt = now;
    this.loop.next(this.iterate);
    for (let count = 0; count < this.perIteration; count += 1) this.takeUpOne();
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

import { type Database, recordRefusal, type RefusalOutcome, type RefusedRequest } from "@sallyport/core";
import type { RefusalRecorder } from "@sallyport/http";

/** Outcome of a refusal. `dropped`: too many at once. `failed`: the database refused the write. */
export type WrittenRefusal = RefusalOutcome | "dropped" | "failed";

/** Explanations per second and database: a fraction of the writes that any storage bears. */
export const explanationsPerSecond = 20;

/** Milliseconds before the first write, so that the response is on its way. */
const delay = 50;

/** Milliseconds between two writes. */
const interval = 1_000;

/**
 * Writes the explanations of refused requests after their responses. Per second and database it accepts a fixed number,
 * at most half of them from one network, and drops the rest: a flood of refused requests is not a flood of writes.
 */
export class RefusalWriter implements RefusalRecorder {
  private readonly backlogs = new Map<Database, Backlog>();
  private stopped = false;

  /** @param report receives the outcome of each refusal */
  constructor(
    private readonly perSecond: number,
    private readonly report: (outcome: WrittenRefusal) => void,
  ) {}

  refused(database: Database, refused: RefusedRequest): void {
    if (this.stopped || database.policy.explanations.retention === 0) return;
    let backlog = this.backlogs.get(database);
    if (backlog === undefined)
      this.backlogs.set(database, (backlog = new Backlog(database, this.perSecond, this.report)));
    backlog.add(refused);
  }

  /** Writes what is waiting for a database that is no longer served. */
  async finish(database: Database): Promise<void> {
    await this.backlogs.get(database)?.stop();
    this.backlogs.delete(database);
  }

  /** Writes what is waiting. Later refusals are ignored. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(Array.from(this.backlogs.values(), (backlog) => backlog.stop()));
  }
}

/** The refusals of one database since its last write. */
class Backlog {
  private waiting: RefusedRequest[] = [];
  private readonly byNetwork = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isWriting = false;
  private startedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly limit: number,
    private readonly report: (outcome: WrittenRefusal) => void,
  ) {}

  add(refused: RefusedRequest): void {
    const { network } = refused;
    const ofNetwork = this.byNetwork.get(network) ?? 0;
    if (this.waiting.length >= this.limit || ofNetwork >= Math.ceil(this.limit / 2)) return this.report("dropped");
    this.byNetwork.set(network, ofNetwork + 1);
    this.waiting.push(refused);
    if (!this.isWriting) this.schedule();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.writing;
    await this.write();
  }

  private schedule(): void {
    const pause = Math.max(delay, this.startedAt + interval - performance.now());
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.isWriting = true;
      this.writing = this.write().then(() => {
        this.isWriting = false;
        if (this.waiting.length > 0) this.schedule();
      });
    }, pause).unref();
  }

  private async write(): Promise<void> {
    this.startedAt = performance.now();
    const batch = this.waiting;
    this.waiting = [];
    this.byNetwork.clear();
    for (const each of batch) this.report(await this.record(each));
  }

  private async record(refused: RefusedRequest): Promise<WrittenRefusal> {
    try {
      return await recordRefusal(this.database, refused, performance.now());
    } catch {
      return "failed";
    }
  }
}

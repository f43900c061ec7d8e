import { admitAgain } from "../access/index.ts";
import type { Database, SessionContext } from "../request/index.ts";
import type { Admission, Repositories } from "@sallyport/storage";

/** Starts a timer; the result cancels it. */
export type After = (milliseconds: number, call: () => void) => () => void;

/** Subscribes to the end of a wait from outside: the client has disconnected, or the server shuts down. */
export type OnEnd = (call: () => void) => () => void;

export interface Waiting {
  /** Classes to wait for. */
  readonly classes: readonly string[];
  /** The stamp that the client has. */
  readonly stamp: number;
  readonly milliseconds: number;
  readonly onEnd: OnEnd;
}

/** `changed`: there may be changes, or the caller may be another one now. `over`: the time-out has passed, the wait was ended from outside, or the session has begun too many others. */
export type WaitOutcome = "changed" | "over";

interface Waiter extends Pick<Waiting, "classes"> {
  /** Nothing of the classes has changed up to this stamp. */
  stamp: number;
  /** As admitted before the wait. */
  readonly context: SessionContext;
  readonly end: (outcome: WaitOutcome) => void;
}

/** Milliseconds between two looks at the changes of a database. */
const interval = 450;
/** Looks until the waiting sessions are admitted again: less than a second. */
const looksPerAdmission = 2;
/** Waits of one session at once. One more ends the oldest: a client that lost its connection waits again. */
const maxPerSession = 4;
/** Changes of one look. With more, all waits end. */
const maxChanges = 1_000;
/** Sessions that one look admits at a time, so that other requests find connections. */
const maxAdmissions = 32;

/**
 * Waits for changes. All waits for one database share one look at it, and hold no connection in between. Every second look
 * admits the waiting sessions again: a log-out, or a right that is lost, ends the wait.
 */
export class ChangeWatch {
  private readonly databases = new WeakMap<Database, WatchedDatabase>();

  constructor(private readonly after: After) {}

  /** Waits for a change of one of the classes after the stamp. Ends as `changed` also if the changes cannot be read. */
  wait(context: SessionContext, waiting: Waiting): Promise<WaitOutcome> {
    const { classes, stamp, milliseconds, onEnd } = waiting;
    const {
      database: { whole },
      sessionDigest,
    } = context;
    let watched = this.databases.get(whole);
    if (watched === undefined) {
      watched = new WatchedDatabase(whole.storage.repositories, this.after);
      this.databases.set(whole, watched);
    }
    const { waiters } = watched;
    return new Promise((resolve) => {
      let [isOver, endings] = [false, [] as readonly (() => void)[]];
      const end = (outcome: WaitOutcome): void => {
        isOver = true;
        for (const stop of endings) stop();
        waiters.delete(waiter);
        resolve(outcome);
      };
      const endAsOver = () => end("over");
      const waiter: Waiter = { classes, stamp, context, end };
      const ofSession = [...waiters].filter((each) => each.context.sessionDigest === sessionDigest);
      if (ofSession.length >= maxPerSession) ofSession[0]?.end("over");
      waiters.add(waiter);
      endings = [this.after(milliseconds, endAsOver), onEnd(endAsOver)];
      if (isOver) endAsOver();
      else watched.watch();
    });
  }
}

class WatchedDatabase {
  readonly waiters = new Set<Waiter>();
  private isWatching = false;
  private looks = 0;

  constructor(
    private readonly r: Pick<Repositories, "admission" | "objects" | "records">,
    private readonly after: After,
  ) {}

  /** Looks at the changes until no client waits. */
  watch(): void {
    if (this.isWatching) return;
    this.isWatching = true;
    this.after(interval, () => void this.look());
  }

  private async look(): Promise<void> {
    try {
      const watermark = await this.r.objects.watermark();
      const behind = [...this.waiters].filter(({ stamp }) => stamp < watermark);
      const changed = behind.length === 0 ? new Set<string>() : await this.changedClasses(behind, watermark);
      for (const waiter of behind) {
        if (changed === null || waiter.classes.some((each) => changed.has(each))) waiter.end("changed");
        else waiter.stamp = watermark;
      }
      this.looks += 1;
      if (this.looks % looksPerAdmission === 0) await this.admit();
    } catch {
      // Each client meets the failure itself.
      for (const { end } of this.waiters) end("changed");
    } finally {
      this.isWatching = false;
      if (this.waiters.size > 0) this.watch();
    }
  }

  /** Admits the waiting sessions again, without extending them. */
  private async admit(): Promise<void> {
    const bySession = new Map<string, Waiter[]>();
    for (const waiter of this.waiters) {
      const { sessionDigest } = waiter.context;
      bySession.set(sessionDigest, [...(bySession.get(sessionDigest) ?? []), waiter]);
    }
    const sessions = [...bySession.values()];
    for (let from = 0; from < sessions.length; from += maxAdmissions)
      await Promise.all(
        sessions.slice(from, from + maxAdmissions).map(async (waiters) => {
          const admission = await admitAgain(this.r, (waiters[0] as Waiter).context, { extends: false });
          for (const { context, end } of waiters) if (!isAdmittedAs(admission, context)) end("changed");
        }),
      );
  }

  /** The classes that have changed since the earliest stamp; `null` for many changes. */
  private async changedClasses(waiters: readonly Waiter[], watermark: number): Promise<ReadonlySet<string> | null> {
    const classes = [...new Set(waiters.flatMap((each) => each.classes))];
    const after = { stamp: Math.min(...waiters.map(({ stamp }) => stamp)), id: null };
    const { changes } = await this.r.objects.changes({ classes, after, upTo: watermark, limit: maxChanges });
    return changes.length === maxChanges ? null : new Set(changes.map(({ className }) => className));
  }
}

/** Whether an admission grants what an earlier one did. Schemas, and rights of classes, can be others with a generation. */
function isAdmittedAs(
  admission: Admission,
  { principal, modelGeneration, settingsGeneration }: SessionContext,
): boolean {
  const { maintenance, appKey, principal: now } = admission;
  return (
    !maintenance &&
    appKey?.enabled === true &&
    now !== null &&
    admission.modelGeneration === modelGeneration &&
    admission.settingsGeneration === settingsGeneration &&
    now.administrator === principal.administrator &&
    now.groups.join() === principal.groups.join()
  );
}

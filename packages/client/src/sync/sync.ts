import type { PushedChangeData } from "@sallyport/contract";
import { type FailureCode, SallyportError } from "../errors.ts";
import { nextBatch } from "./batch.ts";
import type { DeviceRecords, IncompletePull, Position } from "./device-records.ts";
import { Exchange, type ExchangeOptions, type Page } from "./exchange.ts";
import { type ConflictHandler, decide, decisionOn, firstHeld } from "./conflicts.ts";
import { ObjectChanges } from "./incoming.ts";
import type { PendingNotices, Notices } from "./notices.ts";
import { codeOf, codes, type PushAnswer, type PushResult } from "./outcomes.ts";
import type { SyncStore } from "./sync-store.ts";

/** Counts of a synchronization. */
export interface SyncProgress {
  /** Received objects. */
  readonly pulled: number;
  /** Changes that the server has executed. */
  readonly pushed: number;
  /** Objects that are deleted on the server. */
  readonly deleted: number;
  /** Objects that the user can no longer read, or that left the filter. */
  readonly excluded: number;
  /** Pulls from the beginning, because rights, the schema or the database changed or the device was away too long. */
  readonly restarted: number;
}

/** An edit that stays pending: its object is locked, for example, or another object needs it. */
export interface PostponedEdit {
  readonly uuid: string;
  readonly code: FailureCode;
}

/** Counts of a synchronization, and the fate of edits that the application has not confirmed. */
export interface SyncReport extends SyncProgress, PendingNotices {
  readonly postponed: readonly PostponedEdit[];
}

export interface SyncOptions extends ExchangeOptions {
  readonly store: SyncStore;
  /** The direction that the schema allows. Default: `both`. */
  readonly direction?: "pull" | "push" | "both" | undefined;
  /** Seconds, at most 25, to wait at the end for a change of the server or an edit of this store. Default: 0. */
  readonly wait?: number | undefined;
  /**
   * Decides about rejected edits (policy `reject`) and edits that a restore of the server has lost. Default: rejected
   * edits are dropped and reported, lost ones are pushed again.
   */
  readonly onConflict?: ConflictHandler | undefined;
  /**
   * Called with the fate of edits; its success confirms them. If it rejects, or the application ends before, the next
   * call repeats them. Without it, the store keeps them until `confirm` of the report.
   */
  readonly onNotices?: ((notices: Notices) => void | Promise<void>) | undefined;
  /** Called after each stored page and batch. */
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
}

/**
 * Pushes the edits of a store and pulls the changes of the server. Each page is stored at once. After a failure, a kill
 * or an abort, the next call continues; edits keep their ids, so the server executes none twice. The fate of edits
 * stays in the store until the application confirms it. Several tabs can synchronize one storage at the same time.
 *
 * Rejects with the errors of the client's calls.
 */
export function sync(options: SyncOptions): Promise<SyncReport> {
  return new Synchronization(options).run();
}

/** A call that meets more of them meets rights or schemas that change all the time. */
const maxRestarts = 5;
/** Changes of a push. */
const maxChanges = 1_000;
/** The push as a whole is refused, perhaps because of one change. */
const divisible: ReadonlySet<number> = new Set([307, 308, 311, 332, 801]);
const invalidVersion = 330;

class Synchronization {
  readonly #options: SyncOptions;
  readonly #exchange: Exchange;
  readonly #store: SyncStore;
  readonly #postponed = new Map<string, FailureCode>();
  /** Objects whose creation is postponed. */
  readonly #waiting = new Set<string>();
  readonly #counts = { pulled: 0, pushed: 0, deleted: 0, excluded: 0, restarted: 0 };
  /** Whether a pull that this call has begun was completed, after the last push. */
  #isFresh = false;
  #hasBegun = false;
  #hasWaited = false;
  #maxChanges = maxChanges;
  /** Edits of the store since the start. */
  #edits = 0;
  #restarts = 0;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#exchange = new Exchange(options);
    this.#store = options.store;
  }

  async run(): Promise<SyncReport> {
    const unsubscribe = this.#onEdit(() => {
      this.#edits += 1;
    });
    try {
      for (let isDone = false; !isDone; ) {
        this.#options.signal?.throwIfAborted();
        isDone = await this.#step();
      }
    } finally {
      unsubscribe();
    }
    const postponed = Array.from(this.#postponed, ([uuid, code]) => ({ uuid, code }));
    return { ...this.#counts, ...(await this.#handOver()), postponed };
  }

  /** One request or transaction. Returns whether nothing is left to do. */
  async #step(): Promise<boolean> {
    const { direction = "both", wait = 0 } = this.#options;
    const pulls = direction !== "push";
    const edits = this.#edits;
    if (await this.#decideHeld()) return false;
    const position = await this.#transact((records) => records.position());
    if (pulls && (position.version === "0" || position.pull !== null)) {
      await this.#pull(position, 0);
      return false;
    }
    const batch = direction === "pull" ? [] : await this.#nextBatch();
    if (batch.length > 0) {
      await this.#push(position, batch, pulls);
      return false;
    }
    const waits = wait > 0 && !this.#hasWaited;
    if (!pulls || (this.#isFresh && !waits)) return true;
    if (edits === this.#edits) await this.#pull(position, waits ? wait : 0);
    return false;
  }

  /** One page, or a portion of the missing objects. */
  async #pull(position: Position, wait: number): Promise<void> {
    const { version, pull } = position;
    if (pull?.sweep) return this.#sweep(pull.sweep, pull);
    const request = { syncVersion: version, cursor: pull?.cursor ?? undefined };
    this.#hasBegun ||= request.cursor === undefined;
    let page: Page | undefined;
    try {
      if (wait > 0) page = await this.#waitForPage({ ...request, wait });
      else page = await this.#exchange.pull(request);
    } catch (error) {
      return this.#restartAfter(error, position);
    }
    if (page !== undefined) await this.#apply(position, { page });
  }

  /** A long poll. `undefined` if it ended because of an edit. */
  async #waitForPage(request: { readonly syncVersion: string; readonly wait: number }): Promise<Page | undefined> {
    this.#hasWaited = true;
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const edited = new Error("There is an edit to push.");
    const onAbort = () => controller.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    const unsubscribe = this.#onEdit(() => controller.abort(edited));
    try {
      return await this.#exchange.pull(request, controller.signal);
    } catch (error) {
      if (error === edited) return undefined;
      throw error;
    } finally {
      unsubscribe();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #push(position: Position, ops: PushedChangeData[], pulls: boolean): Promise<void> {
    this.#isFresh = false;
    this.#hasBegun = true;
    try {
      const { results, page } = await this.#exchange.push({ syncVersion: position.version, ops });
      const answers = ops.map((change, index) => ({ change, result: results[index] as PushResult }));
      await this.#apply(position, { page: pulls ? page : undefined, answers });
    } catch (error) {
      if (!(error instanceof SallyportError) || !divisible.has(error.code)) return this.#restartAfter(error, position);
      // One bad change must not stop the others.
      if (ops.length > 1) this.#maxChanges = Math.max(1, Math.floor(ops.length / 2));
      else await this.#blame(position, ops, error);
    }
  }

  /** Stores the refusal of the only change of a push, unless the server refuses a push without changes, too. */
  async #blame(position: Position, ops: readonly PushedChangeData[], refusal: SallyportError): Promise<void> {
    try {
      await this.#exchange.push({ syncVersion: position.version, ops: [] });
    } catch (error) {
      return this.#restartAfter(error, position);
    }
    await this.#apply(position, { answers: ops.map((change) => refusalOf(change, refusal)) });
    this.#maxChanges = maxChanges;
  }

  /** Stores a page, or the answers of a push with its page. */
  async #apply(
    seen: Position,
    { page, answers = [] }: { readonly page?: Page | undefined; readonly answers?: readonly PushAnswer[] },
  ): Promise<void> {
    const uuids = [...answers.map(({ change }) => change.uuid), ...(page === undefined ? [] : uuidsOf(page))];
    const postponed = new Map<string, FailureCode>();
    let uncreated = { postponed: new Set<string>(), repeated: new Set<string>() };
    const isStored = await this.#transact(async (records) => {
      postponed.clear();
      uncreated = { postponed: new Set(this.#waiting), repeated: new Set() };
      const changes = await ObjectChanges.of(records, uuids, this.#store.newId);
      const { position } = changes;
      for (const answer of answers) {
        const { uuid } = answer.change;
        const code = changes.addAnswer(answer, uncreated);
        // Another tab may have stored the answer, and the change that replaces a refused one.
        if (changes.isNew(uuid)) uncreated[code === undefined ? "repeated" : "postponed"].add(uuid);
        if (code !== undefined) postponed.set(uuid, code);
      }
      // Another tab has stored other pages. Its position does not contain these changes.
      const isCurrent = page !== undefined && samePosition(position, seen);
      if (isCurrent)
        changes.addPage(page, position.version === "0" ? { isRestored: isRestored(position, page) } : null);
      if (isCurrent || answers.length > 0) changes.write(isCurrent ? afterPage(position, page) : position);
      return isCurrent;
    });
    for (const [uuid, code] of postponed) this.#postponed.set(uuid, code);
    for (const uuid of uncreated.postponed) this.#waiting.add(uuid);
    this.#counts.pushed += answers.filter(({ result }) => codeOf(result) === codes.done).length;
    if (isStored && page !== undefined) {
      this.#counts.pulled += page.changed.length;
      this.#counts.deleted += page.deleted.length;
      this.#counts.excluded += page.excluded.length;
      this.#isFresh = !page.hasMore && this.#hasBegun;
    }
    this.#progressed();
  }

  /** Starts again from the beginning, or from the last complete pull, if the server does not continue. */
  async #restartAfter(error: unknown, seen: Position): Promise<void> {
    if (!(error instanceof SallyportError)) throw error;
    const cursor = seen.pull?.cursor ?? null;
    const isStale = error.code === invalidVersion && (seen.version !== "0" || cursor !== null);
    const isForgotten = error.code === codes.invalid && cursor !== null;
    if (!(isStale || isForgotten) || this.#restarts >= maxRestarts) throw error;
    this.#restarts += 1;
    const fromBeginning = isStale || seen.version === "0";
    const isMoved = await this.#transact(async (records) => {
      const position = await records.position();
      if (!samePosition(position, seen)) return true;
      const generation = position.generation + (fromBeginning ? 1 : 0);
      const version = fromBeginning ? "0" : position.version;
      // A restore stays one, however often its pull starts again.
      const pull = position.pull?.isRestored ? { cursor: null, isRestored: true, sweep: null } : null;
      records.setPosition({ ...position, version, generation, pull });
      return false;
    });
    if (isMoved || !fromBeginning) return;
    this.#counts.restarted += 1;
    this.#isFresh = false;
    this.#progressed();
  }

  /** Removes objects that a complete pull from the beginning did not contain. */
  async #sweep(sweep: NonNullable<IncompletePull["sweep"]>, pull: IncompletePull): Promise<void> {
    await this.#transact(async (records) => {
      const current = await records.position();
      if (current.pull?.sweep?.after !== sweep.after || current.pull.sweep.version !== sweep.version) return;
      const page = await records.list("objects", sweep.after || undefined);
      const last = page.at(-1)?.[0];
      const changes = await ObjectChanges.of(
        records,
        page.map(([key]) => records.uuidOf(key)),
        this.#store.newId,
      );
      for (const [key] of page) changes.addMissing(records.uuidOf(key), pull.isRestored);
      if (last === undefined) changes.write({ ...current, version: sweep.version, pull: null });
      else changes.write({ ...current, pull: { ...pull, sweep: { ...sweep, after: last } } });
    });
    this.#isFresh = this.#hasBegun;
    this.#progressed();
  }

  /** Asks the application about one edit. Returns whether there was any. */
  async #decideHeld(): Promise<boolean> {
    const { schema, onConflict } = this.#options;
    const undecided = await this.#transact(firstHeld);
    if (undecided === undefined) return false;
    const decision = await decisionOn(undecided, schema, onConflict);
    const id = this.#store.newId();
    await this.#transact(async (records) => {
      const [position, current] = [await records.position(), await records.state(undecided.uuid)];
      if (current === undefined) return;
      const [state, notices] = decide(undecided, current, decision, id);
      if (state !== current) records.setState(undecided.uuid, current, state);
      records.setPosition({ ...position, sequence: records.addNotices(notices, position.sequence) });
    });
    return true;
  }

  #nextBatch(): Promise<PushedChangeData[]> {
    const limits = {
      maxChanges: this.#maxChanges,
      postponed: this.#postponed,
      waiting: this.#waiting,
      newId: this.#store.newId,
    };
    return this.#transact((records) => nextBatch(records, limits));
  }

  /** Gives the notices to the application. */
  async #handOver(): Promise<PendingNotices> {
    const { schema, onNotices } = this.#options;
    const { confirm, ...notices } = await this.#store.notices(schema);
    if (onNotices === undefined || Object.values(notices).every(({ length }) => length === 0))
      return { ...notices, confirm };
    await onNotices(notices);
    await confirm();
    return { ...notices, confirm };
  }

  /** Calls the listener after each edit of the objects of this schema. */
  #onEdit(listener: () => void): () => void {
    return this.#store.subscribe(({ cause, schema }) => {
      if (cause === "edit" && schema === this.#options.schema) listener();
    });
  }

  #transact<T>(work: (records: DeviceRecords) => Promise<T>): Promise<T> {
    return this.#store.transact(this.#options.schema, work);
  }

  #progressed(): void {
    this.#options.onProgress?.({ ...this.#counts });
  }
}

function uuidsOf({ changed, deleted, excluded }: Page): string[] {
  return [...changed.map((object) => object["~UUID"]), ...deleted.map(({ uuid }) => uuid), ...excluded];
}

function samePosition(one: Position, other: Position): boolean {
  const [mine, theirs] = [one.pull?.cursor ?? null, other.pull?.cursor ?? null];
  return one.version === other.version && one.generation === other.generation && mine === theirs;
}

/** Whether the server's database is another one than that of the previous page. */
function isRestored({ database, pull }: Position, page: Page): boolean {
  return pull?.isRestored ?? (database !== null && page.database !== database);
}

/** The position after a page. The new version counts from the last page on. */
function afterPage(before: Position, page: Page): Position {
  const { database, hasMore, cursor = null, syncVersion = before.version } = page;
  const position = { ...before, database };
  const pull = { cursor, isRestored: isRestored(before, page), sweep: null };
  if (hasMore) return { ...position, pull };
  if (position.version !== "0" || position.generation === 0) return { ...position, version: syncVersion, pull: null };
  return { ...position, pull: { ...pull, cursor: null, sweep: { after: "", version: syncVersion } } };
}

function refusalOf(change: PushedChangeData, { code, message }: SallyportError): PushAnswer {
  const { id, uuid } = change;
  return { change, result: { id, uuid, internalStatus: String(code), statusMessage: message } };
}

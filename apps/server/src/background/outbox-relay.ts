import type { ClaimedRecord, RecordKind } from "@sallyport/storage";
import { type Database } from "@sallyport/core";
import type { ServedDatabases } from "../databases/served-databases.ts";
import { isTemporary } from "./database-timers.ts";

/** Notifies the relay of new messages in an outbox. */
export class OutboxNotifier {
  private listener: (alias: string) => void = () => {};

  /** Replaces the listener. */
  subscribe(listener: (alias: string) => void): void {
    this.listener = listener;
  }

  notify(alias: string): void {
    this.listener(alias);
  }
}

/** Milliseconds from a notification to the poll, so that its transaction ends and further ones can join. */
const notifyDelay = 25;

/** Pauses in milliseconds after the transport fails. They double. */
const initialPause = 1_000;
const maxPause = 30_000;

/** Queues of one kind of message in all databases, and how to send them. */
export interface Outbox<Value> {
  readonly kind: RecordKind<Value>;
  /** Maximum number of messages to claim and send at once. */
  readonly batch: number;
  /** Milliseconds of a claim. Must exceed the longest attempt. */
  readonly lease: number;
  /** Milliseconds between two polls. */
  readonly interval: number;

  /** Sends, settles and reports messages. Returns for each whether the transport works; `null` if unknown. */
  deliver(database: Database, messages: readonly ClaimedRecord<Value>[]): Promise<(boolean | null)[]>;

  /** Runs at the end of each poll. */
  polled(database: Database): Promise<void>;

  /** A poll failed. It is retried. */
  failed(alias: string, error: unknown): void;
}

/** Sends the messages in the outboxes of all databases. Several servers share the work. */
export class OutboxRelay<Value> {
  private databases: ServedDatabases | undefined;
  private readonly timers = new Map<string, NodeJS.Timeout>();
  /** The polls in progress, by alias. */
  private readonly polls = new Map<string, Promise<void>>();
  /** Outboxes notified during their poll. */
  private readonly notified = new Set<string>();
  private pause = 0;
  private pausedUntil = 0;
  private stopped = false;

  /** @param now monotonic milliseconds, for pauses */
  constructor(
    private readonly outbox: Outbox<Value>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Polls each outbox now, when its database is added, and then at intervals. */
  start(databases: ServedDatabases): void {
    this.databases = databases;
    databases.follow(({ alias }) => this.schedule(alias, 0));
  }

  /** A message was added to an outbox, or is about to be. */
  notify(alias: string): void {
    if (this.polls.has(alias)) this.notified.add(alias);
    else this.schedule(alias, notifyDelay);
  }

  /** Sends what is due in an outbox now, also during a pause. */
  async send(database: Database): Promise<void> {
    this.resetPause();
    await this.poll(database);
  }

  /** Sends what is due in an outbox, unless the transport has just failed. */
  async poll(database: Database): Promise<void> {
    const { kind, batch, lease } = this.outbox;
    const { records } = database.storage.repositories;
    try {
      while (!this.isOver(database) && this.now() >= this.pausedUntil) {
        const messages = await records.claim(kind, batch, lease);
        if (messages.length > 0) this.adaptPause(await this.outbox.deliver(database, messages));
        if (messages.length < batch) break;
      }
      await this.outbox.polled(database);
    } catch (error) {
      if (!isTemporary(error) && !this.isOver(database)) this.outbox.failed(database.alias, error);
    }
  }

  /** Resolves when no poll of this database is in progress. A database that is no longer served starts no other. */
  async finish({ alias }: Database): Promise<void> {
    await this.polls.get(alias);
  }

  /** Claims no further messages. Resolves when the current deliveries end. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.polls.values());
  }

  private schedule(alias: string, delay: number): void {
    if (this.stopped) return;
    clearTimeout(this.timers.get(alias));
    this.timers.set(alias, setTimeout(() => this.begin(alias), delay).unref());
  }

  private begin(alias: string): void {
    const database = this.databases?.get(alias);
    if (this.stopped || !database || this.polls.has(alias)) return;
    const poll = this.poll(database).finally(() => {
      this.polls.delete(alias);
      if (this.databases?.isResting(database) === true) return;
      this.schedule(alias, this.notified.delete(alias) ? notifyDelay : this.outbox.interval);
    });
    this.polls.set(alias, poll);
  }

  private isOver(database: Database): boolean {
    return this.stopped || this.databases?.isWithdrawn(database) === true;
  }

  private adaptPause(outcomes: readonly (boolean | null)[]): void {
    if (outcomes.includes(true)) this.resetPause();
    else if (outcomes.includes(false)) this.backOff();
  }

  /** Concurrent failures extend the pause only once. */
  private backOff(): void {
    const now = this.now();
    if (now < this.pausedUntil) return;
    this.pause = Math.min(maxPause, this.pause === 0 ? initialPause : this.pause * 2);
    this.pausedUntil = now + this.pause;
  }

  private resetPause(): void {
    this.pause = 0;
    this.pausedUntil = 0;
  }
}

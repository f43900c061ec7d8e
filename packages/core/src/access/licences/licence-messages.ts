import {
  type Digest,
  type Digests,
  type ObjectId,
  type RandomSource,
  type RecordKind,
  type Repositories,
  type SeatKind,
  ServiceError,
  type StoredRecord,
} from "@sallyport/storage";
import type { Database, SessionContext } from "../../request/index.ts";

/** A change of the seats of one session. */
export type LicenceEvent = "session.opened" | "seats.reserved" | "seats.released" | "session.ended";

export interface LicenceChange {
  readonly event: LicenceEvent;
  /** The app names whose seats change. */
  readonly appNames: readonly string[];
  readonly userId: ObjectId;
  readonly sessionDigest: Digest;
  readonly deviceId: string | null;
}

/** Returns the change of seats of the session of a request. */
export function seatChange(
  { session, sessionDigest, principal }: SessionContext,
  event: LicenceEvent,
  appNames: readonly string[],
): LicenceChange {
  return { event, appNames, userId: principal.userId, sessionDigest, deviceId: session.deviceId };
}

/** The seats of an app name. `limit`: `null` for unlimited. */
export interface SeatCount {
  readonly appName: string;
  readonly kind: SeatKind;
  readonly limit: number | null;
  readonly taken: number;
}

/** A message as stored. Its id and creation time are those of its record. */
export type LicenceMessage =
  | {
      readonly type: LicenceEvent;
      readonly appNames: readonly string[];
      readonly userId: ObjectId;
      /** The same in all messages of one session. */
      readonly session: string;
      /** The same for all sessions on one device. */
      readonly device: string | null;
    }
  | { readonly type: "seats.counted"; readonly seats: readonly SeatCount[] };

/** Waiting messages by random ids. */
export const licenceMessages: RecordKind<LicenceMessage> = "licenceMessage";

/** One record: the seats in the last `seats.counted` message. `null`: the next count is sent in any case. */
export const licenceCounts: RecordKind<{ readonly seats: readonly SeatCount[] | null }> = "licenceCounts";

export const currentCounts = "current";

export interface LicenceSettings {
  /** Whether the receiver must accept a message before a log-in, a reservation or a release succeeds. */
  readonly required: boolean;
  /** Milliseconds after which a waiting message is given up. */
  readonly lifetime: number;
  /** Number of waiting messages per database from which no further ones are queued. */
  readonly queueLimit: number;
  /** Milliseconds for which a request holds the message that it sends. Must exceed the longest attempt. */
  readonly lease: number;
}

export const licenceLimits: Pick<LicenceSettings, "lifetime" | "queueLimit"> = {
  // An outage over a long weekend loses nothing. Older numbers are of no use to the receiver.
  lifetime: 7 * 86_400_000,
  // Some dozen MiB in the database.
  queueLimit: 100_000,
};

/** A message with the time of its change. */
export type DatedMessage = Pick<StoredRecord<LicenceMessage>, "id" | "value" | "createdAt">;

interface LicenceMessagesParts {
  readonly settings: LicenceSettings;
  readonly digests: Digests;
  readonly random: RandomSource;
  /** Sends one message now. Rejects if the receiver does not accept it. */
  readonly send: (database: Pick<Database, "alias" | "storage">, message: DatedMessage) => Promise<void>;
  /** Notifies the sender of a queued message. The notification may be lost. */
  readonly notify: (alias: string) => void;
}

/** Reports changes of licence seats to the configured receiver. Without one, there is nothing to report. */
export class LicenceMessages {
  /** Number of waiting messages by alias, as of the last poll of the queue. */
  private readonly waiting = new Map<string, number>();

  /** @param parts `null` if no receiver is configured */
  constructor(private readonly parts: LicenceMessagesParts | null) {}

  /** Returns the report of a change, or `null` if no receiver is configured or no app name is affected. */
  report({ database }: Pick<SessionContext, "database">, change: LicenceChange): LicenceReport | null {
    if (this.parts === null || change.appNames.length === 0) return null;
    const { settings, digests, random } = this.parts;
    const { event, appNames, userId, sessionDigest, deviceId } = change;
    // Digests, because the receiver needs to tell sessions and devices apart, not to know them.
    const idOf = (text: string): string => digests.sha256(`licence ${text}`).slice(0, 32);
    const device = deviceId === null ? null : idOf(deviceId);
    const message = { type: event, appNames, userId, session: idOf(sessionDigest), device };
    const isFull = (this.waiting.get(database.alias) ?? 0) >= settings.queueLimit;
    return new LicenceReport(this.parts, database, { id: random.secret(), message, isFull });
  }

  /** Notes the number of waiting messages of a database. */
  noteWaiting(alias: string, count: number): void {
    this.waiting.set(alias, count);
  }
}

/** For callers without a receiver. */
export const noLicenceMessages = new LicenceMessages(null);

interface ReportedMessage {
  readonly id: string;
  readonly message: LicenceMessage;
  readonly isFull: boolean;
}

/** The report of one change. */
export class LicenceReport {
  private stored: StoredRecord<LicenceMessage> | null = null;

  constructor(
    private readonly parts: LicenceMessagesParts,
    private readonly database: Pick<Database, "alias" | "storage">,
    private readonly reported: ReportedMessage,
  ) {}

  /** Whether the receiver must accept the message before the change is answered. */
  get required(): boolean {
    return this.parts.settings.required;
  }

  /** Queues the message in the transaction of the change. The background task sends it. */
  async queue({ records }: Pick<Repositories, "records">): Promise<void> {
    const { id, message, isFull } = this.reported;
    if (!isFull) await records.put(licenceMessages, id, message, { lifetime: this.parts.settings.lifetime });
  }

  /** Queues the message as `queue` does. If it is required, `confirm` must follow, and no one else sends it before. */
  async queueToConfirm(r: Pick<Repositories, "records">): Promise<void> {
    if (!this.required) return this.queue(r);
    const { id, message } = this.reported;
    const { lifetime, lease } = this.parts.settings;
    await r.records.put(licenceMessages, id, message, { lifetime });
    const [record] = await r.records.get(licenceMessages, [id]);
    // If this process dies before it confirms, the background task sends the message after the lease.
    if (record !== undefined) await r.records.settle(licenceMessages, record, { dueIn: lease });
    this.stored = record ?? null;
  }

  /**
   * Follows the transaction of `queueToConfirm`. Sends a required message. If the receiver does not accept it, runs
   * `undo` in a transaction that also removes the message, and throws 711.
   */
  async confirm(undo: (r: Repositories) => Promise<unknown>): Promise<void> {
    const { storage } = this.database;
    const { stored } = this;
    if (stored === null) return this.notify();
    try {
      await this.parts.send(this.database, stored);
    } catch (cause) {
      await storage.transaction(async (r) => {
        await r.records.settle(licenceMessages, stored, "done");
        await recount(r);
        await undo(r);
      });
      throw unsent(cause);
    }
    // The change is reported. If only this fails, the message is sent again.
    await storage.repositories.records.settle(licenceMessages, stored, "done").catch(() => {});
  }

  /** Sends the message, then makes the change. Throws 711 if the receiver does not accept the message. */
  async announce(now: number, change: () => Promise<void>): Promise<void> {
    const { storage } = this.database;
    const { id, message } = this.reported;
    try {
      await this.parts.send(this.database, { id, value: message, createdAt: now }).catch((cause: unknown) => {
        throw unsent(cause);
      });
      await change();
    } catch (error) {
      // If the database has failed, that is the error to tell.
      await recount(storage.repositories).catch(() => {});
      throw error;
    }
  }

  notify(): void {
    this.parts.notify(this.database.alias);
  }
}

/** The receiver may have accepted a message without a change, or without an answer. The next count corrects it. */
async function recount({ records }: Pick<Repositories, "records">): Promise<void> {
  await records.remove(licenceCounts, { ids: [currentCounts] });
}

function unsent(cause: unknown): ServiceError {
  return new ServiceError(711, { detail: "The licence server did not accept the message.", cause });
}

/** Refuses a change inside a transaction whose end it cannot await: the message must be sent after its commit. */
export function refuseJoined({ unit }: Pick<SessionContext, "unit">, report: LicenceReport | null): void {
  if (!unit.joined || report === null || !report.required) return;
  throw new ServiceError(711, { detail: "Required licence messages cannot be sent in an atomic multi request." });
}

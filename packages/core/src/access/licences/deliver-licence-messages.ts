import { allPages, type ClaimedRecord, type RandomSource, type Repositories } from "@sallyport/storage";
import type { Database } from "../../request/index.ts";
import { type Application, Applications, findApplications } from "../appkeys/applications.ts";
import {
  currentCounts,
  type DatedMessage,
  licenceCounts,
  type LicenceMessage,
  licenceMessages,
  type SeatCount,
} from "./licence-messages.ts";

/** Port: the receiver of licence messages. */
export interface LicenceReceiver {
  /**
   * Sends a message. Resolves when the receiver has accepted it, rejects otherwise. The receiver may also have accepted
   * a message that rejects. `id`: the same for every attempt.
   */
  send(message: { readonly id: string; readonly body: string }): Promise<void>;
}

/** Delay after the first failed attempt, in milliseconds. Doubles with each further one. */
const initialDelay = 5_000;
const maxDelay = 3_600_000;

/** Milliseconds for which one server counts seats, and after which a count is sent even if it has not changed. */
const countLease = 60_000;
const countLifetime = 86_400_000;

export type ClaimedLicenceMessage = ClaimedRecord<LicenceMessage>;

export type LicenceDelivery =
  | { readonly kind: "sent" }
  /** Retried in `delay` milliseconds. */
  | { readonly kind: "failed"; readonly error: unknown; readonly delay: number }
  /** Another process has claimed the message. */
  | { readonly kind: "superseded" };

type DeliveryContext = Pick<Database, "alias" | "storage">;

/**
 * Sends licence messages. A message is removed after the receiver has accepted it, so none is lost. If the process fails
 * in between, the message is sent again with the same id.
 */
export class DeliverLicenceMessages {
  constructor(
    private readonly receiver: LicenceReceiver,
    private readonly random: Pick<RandomSource, "secret">,
  ) {}

  /** Sends claimed messages concurrently and settles them. Their app names are counted once. */
  async deliver(context: DeliveryContext, claimed: readonly ClaimedLicenceMessage[]): Promise<LicenceDelivery[]> {
    const seats = await seatsOf(
      context.storage.repositories,
      claimed.map(({ value }) => value),
    );
    return Promise.all(claimed.map((message) => this.deliverOne(context, message, seats)));
  }

  /** Sends one message now. Rejects if the receiver does not accept it. */
  async send(context: DeliveryContext, message: DatedMessage): Promise<void> {
    await this.hand(context, message, await seatsOf(context.storage.repositories, [message.value]));
  }

  /** Queues a `seats.counted` message if the taken seats have changed since the last one. One server counts per interval. */
  async count({ storage }: DeliveryContext, { interval, lifetime }: CountSettings): Promise<void> {
    const { repositories: r } = storage;
    const [due] = await r.records.claim(licenceCounts, 1, countLease);
    if (due === undefined) {
      const options = { ifVersion: "none", lifetime: countLifetime } as const;
      await r.records.put(licenceCounts, currentCounts, { seats: null }, options);
      return;
    }
    const applications = new Applications(r.records);
    const all = await allPages<Application>(
      ({ after, limit }) => applications.list(after, limit),
      ({ name }) => name,
    );
    const seats = await counted(r, all);
    if (JSON.stringify(seats) === JSON.stringify(due.value.seats)) {
      await r.records.settle(licenceCounts, due, { dueIn: interval });
      return;
    }
    await storage.transaction(async ({ records }) => {
      if (!(await records.settle(licenceCounts, due, { dueIn: interval, value: { seats } }))) return;
      await records.put(licenceMessages, this.random.secret(), { type: "seats.counted", seats }, { lifetime });
    });
  }

  private async deliverOne(
    context: DeliveryContext,
    message: ClaimedLicenceMessage,
    seats: readonly SeatCount[],
  ): Promise<LicenceDelivery> {
    const { records } = context.storage.repositories;
    try {
      await this.hand(context, message, seats);
    } catch (error) {
      const delay = Math.min(maxDelay, initialDelay * 2 ** Math.min(message.claims - 1, 16));
      const postponed = await records.settle(licenceMessages, message, { dueIn: delay });
      return postponed ? { kind: "failed", error, delay } : { kind: "superseded" };
    }
    return (await records.settle(licenceMessages, message, "done")) ? { kind: "sent" } : { kind: "superseded" };
  }

  private hand({ alias }: DeliveryContext, message: DatedMessage, seats: readonly SeatCount[]): Promise<void> {
    const { id, value, createdAt } = message;
    const data = dataOf(value, seats);
    const timestamp = new Date(createdAt).toISOString();
    return this.receiver.send({
      id,
      body: JSON.stringify({ type: value.type, timestamp, data: { database: alias, ...data } }),
    });
  }
}

export interface CountSettings {
  /** Milliseconds between two counts. */
  readonly interval: number;
  /** Milliseconds after which a waiting message is given up. */
  readonly lifetime: number;
}

function dataOf(message: LicenceMessage, seats: readonly SeatCount[]) {
  if (message.type === "seats.counted") return { seats: message.seats };
  const { appNames, userId, session, device } = message;
  return { userId, session, device, seats: seats.filter(({ appName }) => appNames.includes(appName)) };
}

async function seatsOf(r: Repositories, messages: readonly LicenceMessage[]): Promise<SeatCount[]> {
  const names = new Set(messages.flatMap((message) => (message.type === "seats.counted" ? [] : message.appNames)));
  return names.size === 0 ? [] : counted(r, await findApplications(r.records, [...names]));
}

/** Counts one after another, so that a count of many app names occupies one connection. */
async function counted({ sessions }: Repositories, applications: readonly Application[]): Promise<SeatCount[]> {
  const seats: SeatCount[] = [];
  for (const { name, seatKind: kind, seats: limit } of applications)
    seats.push({ appName: name, kind, limit, taken: await sessions.count({ name, kind }) });
  return seats.toSorted((one, other) => (one.appName < other.appName ? -1 : 1));
}

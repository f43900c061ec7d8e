import { faultAt, ofDatabase, type RecordKind, type Repositories, ServiceError } from "@sallyport/storage";
import type { AdministrationContext } from "./administration-context.ts";
import { auditedTime, changesBetween } from "./audit-events.ts";
import type { Database } from "./database.ts";

/** The facts about a maintenance that clients receive. */
export interface MaintenanceNotice {
  /** Text for users; `null` for none. At most 500 characters. */
  readonly message: string | null;
  /** Expected end in milliseconds since 1970, by the storage's clock; `null` if unknown. */
  readonly endsAt: number | null;
}

const noticeKind: RecordKind<MaintenanceNotice> = "maintenanceNotice";
const currentNotice = "current";

/** Characters. */
const maxMessage = 500;

/** Seconds until a client retries when the end is unknown or has passed. */
const defaultPause = 60;

/**
 * Begins or ends (`null`) the maintenance of a database. A further begin replaces the notice. Running servers apply it
 * from the next request. 307 for a message that is blank, too long or has control characters.
 */
export async function setMaintenance(
  { unit, eventOf }: Pick<AdministrationContext, "unit" | "eventOf">,
  notice: MaintenanceNotice | null,
): Promise<void> {
  if (notice !== null && notice.message !== null) acceptMessage(notice.message);
  await unit.transaction(async (r) => {
    const changes = changesBetween(audited(await noticeNow(r)), audited(notice));
    if (notice === null) await r.records.remove(noticeKind, { ids: [currentNotice] });
    else await r.records.put(noticeKind, currentNotice, notice);
    await r.settings.setMaintenance(notice !== null);
    await r.audit.append(eventOf({ type: notice === null ? "maintenance.ended" : "maintenance.started", changes }));
  });
}

/** The notice of the current maintenance; `null` without one. */
export function readMaintenance({ r }: Pick<AdministrationContext, "r">): Promise<MaintenanceNotice | null> {
  return noticeNow(r);
}

async function noticeNow(r: Pick<Repositories, "admission" | "records">): Promise<MaintenanceNotice | null> {
  const { maintenance } = await r.admission.admit(ofDatabase);
  return maintenance ? noticeIn(r) : null;
}

function audited(notice: MaintenanceNotice | null): object {
  if (notice === null) return { maintenance: false };
  const { message, endsAt } = notice;
  return { maintenance: true, message, endsAt: auditedTime(endsAt) };
}

async function noticeIn({ records }: Pick<Repositories, "records">): Promise<MaintenanceNotice> {
  const [record] = await records.get(noticeKind, [currentNotice]);
  return record?.value ?? { message: null, endsAt: null };
}

function acceptMessage(message: string): void {
  if (message.trim() === "" || message.length > maxMessage || /\p{Cc}/u.test(message))
    throw faultAt("/message", `must be a line of 1 to ${maxMessage} characters`);
}

/** The error for requests during maintenance: 706 with the notice. */
export async function maintenanceError({ storage, clock, unit }: Database): Promise<ServiceError> {
  const { message, endsAt } = await noticeIn(storage.repositories);
  const left = endsAt === null ? 0 : Math.ceil((endsAt - (await clock.now(unit))) / 1000);
  return new ServiceError(706, {
    retryAfter: left > 0 ? left : defaultPause,
    detail: "The database is in maintenance.",
    ...(message === null ? {} : { notice: message }),
  });
}

import {
  accountOwner,
  isStorableText,
  LruCache,
  type ObjectId,
  type PageRequest,
  type Repositories,
  ServiceError,
  type StoredRecord,
} from "@sallyport/storage";
import { type AdministrationContext, changesBetween, type Database } from "../../request/index.ts";
import { type Device, type DeviceDescription, deviceKind } from "./access-rules.ts";
import { applyRuleChange } from "./apply-rule-change.ts";
import {
  acceptDeviceId,
  type NamedSubject,
  requireVisitor,
  sessionsOf,
  showSubjects,
  type ShownSubject,
  subjectId,
  subjectOwner,
} from "./rule-subjects.ts";

const day = 86_400_000;

/** Kept members of a description, and their length in characters. Clients choose both. */
const maxMembers = 20;
const maxText = 200;

export interface ListedDevice extends Device, Pick<ShownSubject, "userName"> {
  readonly id: string;
}

/** Lists at most `limit` known and registered devices after an id, of one user if given. Unknown user: 304. */
export async function listDevices(
  { r }: Pick<AdministrationContext, "r">,
  { user, ...page }: PageRequest & Pick<NamedSubject, "user">,
): Promise<ListedDevice[]> {
  const visitor = user === undefined ? null : await requireVisitor(r, { user });
  const owner = visitor === null ? null : subjectOwner(visitor.subject);
  return showDevices(r, await r.records.list(deviceKind, owner === null ? page : { ...page, owner }));
}

/** Finds a device by the id of its record. Unknown: 304. */
async function findDevice({ r }: Pick<AdministrationContext, "r">, id: string): Promise<ListedDevice> {
  const [device] = await showDevices(r, await r.records.get(deviceKind, [id]));
  if (device === undefined) throw new ServiceError(304, { detail: "There is no device with this id." });
  return device;
}

async function showDevices(
  r: Pick<Repositories, "objects">,
  listed: readonly Pick<StoredRecord<Device>, "id" | "value">[],
): Promise<ListedDevice[]> {
  const shown = await showSubjects(
    r,
    listed.map(({ value: { userId, deviceId } }) =>
      userId === null ? { kind: "device", deviceId } : { kind: "userOnDevice", userId, deviceId },
    ),
  );
  return listed.map(({ id, value }, index) => ({ ...value, id, userName: shown[index]?.userName ?? "" }));
}

interface DeviceInput extends Pick<NamedSubject, "user"> {
  readonly device: string;
}

/** Registers a device for a user, or for all users. Unknown user: 304. Blank device: 307. */
export async function registerDevice(
  { database, r: outside, unit, eventOf }: AdministrationContext,
  { user, device }: DeviceInput,
): Promise<ListedDevice> {
  const registered = await unit.transaction(async (r) => {
    const { subject, account } = await requireVisitor(r, { user, device });
    const id = subjectId(subject, database.digests);
    const userId = account?.userId ?? null;
    const [existing] = await r.records.get(deviceKind, [id]);
    const deviceId = acceptDeviceId(device);
    const value: Device = {
      ...(existing?.value ?? { userId, deviceId, says: {}, firstSeen: null, lastSeen: null }),
      registered: true,
    };
    const stored = await r.records.put(deviceKind, id, value, {
      owner: subjectOwner(subject),
      ifVersion: existing?.version ?? "none",
    });
    if (stored !== "stored")
      throw new ServiceError(713, { detail: "Another request has changed the device. Try again." });
    const changes = changesBetween(existing?.value.registered ? { deviceId } : null, { deviceId });
    await r.audit.append(eventOf({ type: "device.registered", subjectId: userId, changes }));
    return id;
  });
  return findDevice({ r: outside }, registered);
}

/**
 * Removes a device by its name or the id of its record. Where only registered devices are admitted, this ends its sessions. It becomes known again at the
 * next log-in. Unknown device or user: 304.
 */
export async function forgetDevice(
  context: AdministrationContext,
  named: DeviceInput | { readonly id: string },
): Promise<number> {
  const { database, r: outside, eventOf } = context;
  const { user, device } = "id" in named ? await namedOf(outside, named.id) : named;
  const { subject, account } = await requireVisitor(outside, { user, device });
  const { count } = await applyRuleChange(context, {
    matching: sessionsOf(subject),
    registration: database.policy.devices.policy === "registered",
    change: async (r) => {
      const removed = await r.records.remove(deviceKind, { ids: [subjectId(subject, database.digests)] });
      if (removed.length === 0) throw new ServiceError(304, { detail: `There is no device "${device}".` });
      const changes = changesBetween({ deviceId: acceptDeviceId(device) }, null);
      await r.audit.append(eventOf({ type: "device.forgotten", subjectId: account?.userId ?? null, changes }));
    },
  });
  return count;
}

async function namedOf(r: AdministrationContext["r"], id: string): Promise<DeviceInput> {
  const { userId, deviceId: device } = await findDevice({ r }, id);
  return { user: userId === null ? undefined : { id: userId }, device };
}

interface SeenDevice {
  readonly userId: ObjectId;
  readonly deviceId: string | null;
  readonly says: DeviceDescription;
}

/** Milliseconds after which an answer is most likely sent. */
const afterAnswer = 50;

/** Devices whose writes are pending. Further ones are left out: they are noted at their next log-in. */
const maxPending = 100;

const logs = new WeakMap<Database, DeviceLog>();

/** Returns the log of devices that all requests to a database share. */
export function deviceLog({ whole }: Database): DeviceLog {
  const log = logs.get(whole) ?? new DeviceLog();
  logs.set(whole, log);
  return log;
}

/** Notes the devices of log-ins, at most once a day. A lost note harms nothing. */
export class DeviceLog {
  /** Devices noted by this process, with the time. */
  private readonly noted = new LruCache<string, number>(10_000);
  private pending = 0;

  /** Notes the device after a pause, so that the answer of the log-in comes first. */
  noteAfterAnswer(database: Database, seen: SeenDevice, pause: (milliseconds: number) => Promise<unknown>): void {
    if (seen.deviceId !== null) void pause(afterAnswer).then(() => this.note(database.whole, seen));
  }

  /** Never throws. */
  async note(database: Database, { userId, deviceId, says }: SeenDevice): Promise<void> {
    if (deviceId === null || this.pending >= maxPending) return;
    const id = subjectId({ kind: "userOnDevice", userId, deviceId }, database.digests);
    if (database.now() - (this.noted.get(id) ?? Number.NEGATIVE_INFINITY) < day) return;
    this.noted.set(id, database.now());
    this.pending += 1;
    try {
      await this.write(database, { id, userId, deviceId, says: keptOf(says) });
    } catch {
      // At the next log-in on another server, or tomorrow.
    } finally {
      this.pending -= 1;
    }
  }

  private async write(
    { storage, policy, clock }: Database,
    { id, ...seen }: SeenDevice & { readonly id: string; readonly deviceId: string },
  ): Promise<void> {
    const { records } = storage.repositories;
    const [[existing], now] = await Promise.all([records.get(deviceKind, [id]), clock.now({ joined: false })]);
    const owner = accountOwner(seen.userId);
    if (existing !== undefined) {
      const { value, version } = existing;
      if (value.lastSeen !== null && now - value.lastSeen < day) return;
      const { firstSeen, registered } = value;
      const device = { ...seen, firstSeen: firstSeen ?? now, lastSeen: now, registered };
      await records.put(deviceKind, id, device, { owner, ifVersion: version });
      return;
    }
    const device = { ...seen, firstSeen: now, lastSeen: now, registered: false };
    const { perUser } = policy.devices;
    const put = () => records.putWithin(deviceKind, id, device, { owner, quota: { perOwner: perUser, total: 0 } });
    if ((await put()) !== "ownerFull") return;
    await removeOldest(records, owner, perUser);
    await put();
  }
}

/** Removes the least recently seen devices of a user, so that one more can be kept. Registered ones stay. */
async function removeOldest(records: Repositories["records"], owner: string, perUser: number): Promise<void> {
  const all = await records.list(deviceKind, { owner, after: null, limit: perUser + maxPending });
  const oldest = all
    .filter(({ value }) => !value.registered)
    .toSorted((one, other) => (one.value.lastSeen ?? 0) - (other.value.lastSeen ?? 0))
    .slice(0, all.length - perUser + 1);
  if (oldest.length > 0) await records.remove(deviceKind, { ids: oldest.map(({ id }) => id) });
}

function keptOf(says: DeviceDescription): DeviceDescription {
  const entries = Object.entries(says)
    .filter(([name, text]) => name.length <= maxText && isStorableText(name) && isStorableText(text))
    .slice(0, maxMembers);
  // Not within a pair of surrogates.
  return Object.fromEntries(entries.map(([name, text]) => [name, [...text].slice(0, maxText).join("")]));
}

import { type NewSession, type Repositories, ServiceError, type SessionPolicy } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const sideBySide = "keeps several sessions of a device up to its limit";
const oldest = "ends the oldest session of a device beyond the limit if none was renewed";
const leastRenewed = "ends the least recently renewed session of a device beyond the limit";
const underLimit = "replaces a session of the same device at a full limit, and none of other devices";
const atOneTime = "enforces the session limit of a device exactly across concurrent calls";
const apart = "keeps the sessions of another user, app key or device";

type Open = (session: NewSession, policy: SessionPolicy) => Promise<void>;

/** A storage with its own way to open sessions. `known` are the sessions opened so far, in order. */
function opening(
  fault: string,
  caughtBy: string | readonly string[],
  open: (r: Repositories, known: NewSession[]) => Open,
): BrokenAdapter {
  return broken(fault, caughtBy, () => {
    const known: NewSession[] = [];
    return (r) => {
      const opens = open(r, known);
      return {
        sessions: {
          open: async (session, policy) => {
            await opens(session, policy);
            known.push(session);
          },
        },
      };
    };
  });
}

/** Ends one of the known sessions if the new one would exceed the limit of its device. */
function endingFirst(
  choose: (known: readonly NewSession[], session: NewSession) => NewSession | undefined,
): (r: Repositories, known: NewSession[]) => Open {
  return (r, known) => async (session, policy) => {
    const ofDevice = known.filter(
      ({ deviceId, userId, appKeyId }) =>
        deviceId !== null &&
        deviceId === session.deviceId &&
        userId === session.userId &&
        appKeyId === session.appKeyId,
    );
    if (ofDevice.length >= policy.perDevice) {
      const ended = choose(session.deviceId === null ? [] : known, session);
      if (ended !== undefined) {
        known.splice(known.indexOf(ended), 1);
        await r.sessions.end({ digest: ended.digest });
      }
    }
    await r.sessions.open(session, policy);
  };
}

const sharingDevice = (session: NewSession) => (other: NewSession) =>
  other.deviceId === session.deviceId && other.userId === session.userId && other.appKeyId === session.appKeyId;

/** Faults in the sessions of one device. */
export const brokenDevices: readonly BrokenAdapter[] = [
  opening(
    "allows one session per device",
    [sideBySide, oldest, atOneTime],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, perDevice: 1 }),
  ),

  opening(
    "allows one session too many per device",
    [oldest, atOneTime],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, perDevice: policy.perDevice + 1 }),
  ),

  opening(
    "allows one session too few per device",
    [sideBySide, oldest, atOneTime],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, perDevice: Math.max(1, policy.perDevice - 1) }),
  ),

  opening(
    "ends the latest session of a device",
    [oldest, leastRenewed],
    endingFirst((known, session) => known.findLast(sharingDevice(session))),
  ),

  opening(
    "ends the oldest session of a device, renewed or not",
    leastRenewed,
    endingFirst((known, session) => known.find(sharingDevice(session))),
  ),

  opening("ends a session of the user on another device", underLimit, (r, known) => async (session, policy) => {
    const of = known.filter(
      ({ userId, deviceId }) => userId === session.userId && deviceId !== null && deviceId !== session.deviceId,
    );
    const isFull =
      (policy.limit > 0 && (await r.sessions.count()) >= policy.limit) ||
      (policy.perUserLimit > 0 && known.length >= policy.perUserLimit);
    const [first] = of;
    if (isFull && session.deviceId !== null && first !== undefined) await r.sessions.end({ digest: first.digest });
    await r.sessions.open(session, policy);
  }),

  opening(
    "treats all devices of a user as one",
    [apart, underLimit],
    (r) => (session, policy) =>
      r.sessions.open({ ...session, deviceId: session.deviceId === null ? null : "any" }, policy),
  ),

  opening("ignores the user of a device", apart, (r, known) => async (session, policy) => {
    const other = known.find(
      ({ deviceId, userId }) => deviceId !== null && deviceId === session.deviceId && userId !== session.userId,
    );
    if (other !== undefined) await r.sessions.end({ digest: other.digest });
    await r.sessions.open(session, policy);
  }),

  opening("ignores the app key of a device", apart, (r, known) => async (session, policy) => {
    const other = known.find(
      ({ deviceId, appKeyId }) => deviceId !== null && deviceId === session.deviceId && appKeyId !== session.appKeyId,
    );
    if (other !== undefined) await r.sessions.end({ digest: other.digest });
    await r.sessions.open(session, policy);
  }),

  opening(
    "refuses a device with a session at a full limit",
    ["replaces a session of a device at a full limit without using another slot", underLimit],
    (r) => async (session, policy) => {
      if (policy.limit > 0 && (await r.sessions.count()) >= policy.limit) throw new ServiceError(315);
      await r.sessions.open(session, policy);
    },
  ),

  opening(
    "ends only one session of a device if a lower limit requires more",
    "ends several sessions of a device if the limit is lowered",
    (r, known) => async (session, policy) => {
      const ofDevice = known.filter(sharingDevice(session)).length;
      await r.sessions.open(session, { ...policy, perDevice: Math.max(policy.perDevice, ofDevice) });
    },
  ),

  opening("counts the sessions of a device before it opens one", atOneTime, (r, known) => async (session, policy) => {
    const before = known.filter(sharingDevice(session)).slice(0, 1 - policy.perDevice || undefined);
    await pause();
    for (const { digest } of before) await r.sessions.end({ digest });
    await r.sessions.open({ ...session, deviceId: null }, policy);
  }),

  opening(
    "checks the limit without the device before it opens a session",
    "replaces sessions of a device at a full limit during concurrent openings by others",
    (r) => async (session, policy) => {
      const count = await r.sessions.count();
      await pause();
      const isFull = session.deviceId === null && policy.limit > 0 && count >= policy.limit;
      if (isFull) throw new ServiceError(315);
      await r.sessions.open(session, { ...policy, limit: 0, perUserLimit: 0 });
    },
  ),
];

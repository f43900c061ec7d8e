import { type NewSession, type Repositories, ServiceError, type SessionPolicy } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const sideBySide = "of one user, app key and device live side by side up to their limit";
const oldest = "of a device make room for the next: the oldest ends where none was renewed";
const leastRenewed = "of a device make room for the next: the least recently renewed ends";
const underLimit = "of a device make room under a full limit, those of others do not";
const atOneTime = "of a device are exactly as many as there may be when several are opened at once";
const apart = "leave those of another user, app key or device alone";

type Open = (session: NewSession, policy: SessionPolicy) => Promise<void>;

/** A storage that opens sessions in its own way; `known` are those that it has opened, the latest last. */
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

/** Ends a session of those known, if the one to be opened would be one too many for its device. */
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

/** Faults in what sessions of one device have to do with one another. */
export const brokenDevices: readonly BrokenAdapter[] = [
  opening(
    "lets a device have one session",
    [sideBySide, oldest, atOneTime],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, perDevice: 1 }),
  ),

  opening(
    "lets a device have one too many",
    [oldest, atOneTime],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, perDevice: policy.perDevice + 1 }),
  ),

  opening(
    "lets a device have one too few",
    [sideBySide, oldest, atOneTime],
    (r) => (session, policy) => r.sessions.open(session, { ...policy, perDevice: Math.max(1, policy.perDevice - 1) }),
  ),

  opening(
    "ends the latest of a device",
    [oldest, leastRenewed],
    endingFirst((known, session) => known.findLast(sharingDevice(session))),
  ),

  opening(
    "ends the oldest of a device, renewed or not",
    leastRenewed,
    endingFirst((known, session) => known.find(sharingDevice(session))),
  ),

  opening("ends one of the user on another device", underLimit, (r, known) => async (session, policy) => {
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
    "takes all devices of a user for one",
    [apart, underLimit],
    (r) => (session, policy) =>
      r.sessions.open({ ...session, deviceId: session.deviceId === null ? null : "any" }, policy),
  ),

  opening("takes a device of any user for one", apart, (r, known) => async (session, policy) => {
    const other = known.find(
      ({ deviceId, userId }) => deviceId !== null && deviceId === session.deviceId && userId !== session.userId,
    );
    if (other !== undefined) await r.sessions.end({ digest: other.digest });
    await r.sessions.open(session, policy);
  }),

  opening("takes a device with any app key for one", apart, (r, known) => async (session, policy) => {
    const other = known.find(
      ({ deviceId, appKeyId }) => deviceId !== null && deviceId === session.deviceId && appKeyId !== session.appKeyId,
    );
    if (other !== undefined) await r.sessions.end({ digest: other.digest });
    await r.sessions.open(session, policy);
  }),

  opening(
    "refuses a device at a full limit",
    ["replace without taking room under a limit", underLimit],
    (r) => async (session, policy) => {
      if (policy.limit > 0 && (await r.sessions.count()) >= policy.limit) throw new ServiceError(315);
      await r.sessions.open(session, policy);
    },
  ),

  opening(
    "ends one of a device where a lower limit asks for more",
    "of a device end in numbers when their limit is lower than it was",
    (r, known) => async (session, policy) => {
      const ofDevice = known.filter(sharingDevice(session)).length;
      await r.sessions.open(session, { ...policy, perDevice: Math.max(policy.perDevice, ofDevice) });
    },
  ),

  opening("looks how many a device has, then opens", atOneTime, (r, known) => async (session, policy) => {
    const before = known.filter(sharingDevice(session)).slice(0, 1 - policy.perDevice || undefined);
    await pause();
    for (const { digest } of before) await r.sessions.end({ digest });
    await r.sessions.open({ ...session, deviceId: null }, policy);
  }),

  opening(
    "looks whether others fill the limit, then opens",
    "of a device fill a limit exactly when others want its places at once",
    (r) => async (session, policy) => {
      const count = await r.sessions.count();
      await pause();
      const isFull = session.deviceId === null && policy.limit > 0 && count >= policy.limit;
      if (isFull) throw new ServiceError(315);
      await r.sessions.open(session, { ...policy, limit: 0, perUserLimit: 0 });
    },
  ),
];

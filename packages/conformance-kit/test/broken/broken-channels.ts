import type { Channel, Digest, MessageVerdict, NewSession } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

interface Flaws {
  readonly window?: number;
  /** How a number is remembered. */
  readonly as?: (number: bigint) => bigint;
  /** Forgets everything as soon as numbers jump. */
  readonly forgetful?: boolean;
  readonly onlyRising?: boolean;
  readonly furthestJump?: bigint;
  /** Remembers for all sessions together. */
  readonly mixed?: boolean;
}

/** Judges numbers, with flaws; without them it would be right, but for those who come at once. */
function judgeWith({
  window = 1_024,
  as = (number) => number,
  forgetful = false,
  onlyRising = false,
  furthestJump,
  mixed = false,
}: Flaws) {
  const seen = new Map<string, { highest: bigint; accepted: Set<bigint> }>();
  return (session: Digest, asked: bigint): MessageVerdict => {
    const number = as(asked);
    const state = seen.get(mixed ? "" : session) ?? { highest: -1n, accepted: new Set() };
    seen.set(mixed ? "" : session, state);
    if (number <= state.highest - BigInt(window)) return "old";
    if (state.accepted.has(number) || (onlyRising && number < state.highest)) return "seen";
    if (furthestJump !== undefined && number - state.highest > furthestJump) return "old";
    if (forgetful && number > state.highest + 1n) state.accepted.clear();
    state.accepted.add(number);
    if (number > state.highest) state.highest = number;
    return "fresh";
  };
}

function brokenJudge(fault: string, caughtBy: string | readonly string[], flaws: Flaws): BrokenAdapter {
  return broken(fault, caughtBy, () => {
    const judge = judgeWith(flaws);
    return () => ({ channels: { acceptIn: async (session, number) => judge(session, number) } });
  });
}

const numbers: readonly BrokenAdapter[] = [
  brokenJudge(
    "remembers one number too few",
    ["remember the 1,023 numbers below the highest and no other", "judge numbers like somebody who remembers them all"],
    { window: 1_023 },
  ),
  brokenJudge(
    "remembers one number too many",
    ["remember the 1,023 numbers below the highest and no other", "judge numbers like somebody who remembers them all"],
    { window: 1_025 },
  ),
  brokenJudge("takes numbers for inexact ones", "accept jumps as far as numbers go", {
    as: (number) => BigInt(Number(number)),
  }),
  brokenJudge("takes numbers for signed ones", "accept jumps as far as numbers go", {
    as: (number) => BigInt.asIntN(64, number),
  }),
  brokenJudge("refuses a jump that is too far", "accept jumps as far as numbers go", { furthestJump: 2n ** 62n }),
  brokenJudge(
    "forgets what a jump leaves behind",
    ["accept every number once, in whatever order", "remember over a jump what stays near enough"],
    { forgetful: true },
  ),
  brokenJudge("wants rising numbers", ["accept every number once, in whatever order", "need not begin with 0"], {
    onlyRising: true,
  }),
  brokenJudge("remembers for all sessions together", "keep the numbers of sessions and directions apart", {
    mixed: true,
  }),

  broken("looks at what is known, then accepts", "accept a number once of those who bring it at once", () => {
    const known = new Set<string>();
    return () => ({
      channels: {
        acceptIn: async (session, number) => {
          const seen = known.has(`${session} ${number}`);
          await pause();
          known.add(`${session} ${number}`);
          return seen ? "seen" : "fresh";
        },
      },
    });
  }),

  broken("writes back all that it has read", "accept all of many numbers that come at once", () => {
    let known: readonly bigint[] = [];
    return () => ({
      channels: {
        acceptIn: async (_session, number) => {
          const read = known;
          await pause();
          known = [...read, number];
          return read.includes(number) ? "seen" : "fresh";
        },
      },
    });
  }),

  broken(
    "reserves the same for all who ask at once",
    "reserve 10,000 numbers for four who take them at once, none twice",
    () => {
      let running: Promise<bigint | null> | undefined;
      return (r) => ({
        channels: {
          reserveOut: (session, count) => {
            running ??= pause()
              .then(() => r.channels.reserveOut(session, count))
              .finally(() => (running = undefined));
            return running;
          },
        },
      });
    },
  ),

  broken("reserves one number whatever is asked", "reserve numbers from 0 on, each once", () => (r) => ({
    channels: { reserveOut: (session) => r.channels.reserveOut(session, 1) },
  })),

  broken(
    "takes any count for a reservation",
    "refuse reservations that would give numbers out twice, and numbers that there are not",
    () => (r) => ({
      channels: {
        reserveOut: async (session, count) =>
          count > 0 ? r.channels.reserveOut(session, Math.ceil(Math.min(count, 1_000_000))) : 0n,
      },
    }),
  ),

  broken(
    "takes numbers for the lowest bits of them",
    "refuse reservations that would give numbers out twice, and numbers that there are not",
    () => (r) => ({
      channels: { acceptIn: (session, number) => r.channels.acceptIn(session, BigInt.asUintN(64, number)) },
    }),
  ),

  broken("numbers both directions together", "keep the numbers of sessions and directions apart", () => (r) => ({
    channels: {
      reserveOut: async (session, count) => {
        const first = await r.channels.reserveOut(session, count);
        for (let number = first ?? 0n; number < (first ?? 0n) + BigInt(Math.min(count, 60)); number += 1n)
          await r.channels.acceptIn(session, number);
        return first;
      },
    },
  })),
];

/** Answers for a channel that is not there any more as if it were. */
const haunted = {
  reserveOut: async () => 0n,
  acceptIn: async () => "fresh" as const,
};

const life: readonly BrokenAdapter[] = [
  broken(
    "has a channel for every session",
    [
      "are there for secure sessions only",
      "are not opened for a session that finds no room",
      "go with the transaction that opened them",
    ],
    () => (r) => ({
      channels: {
        reserveOut: async (session, count) => (await r.channels.reserveOut(session, count)) ?? haunted.reserveOut(),
        acceptIn: async (session, number) => {
          const verdict = await r.channels.acceptIn(session, number);
          return verdict === "gone" ? haunted.acceptIn() : verdict;
        },
      },
    }),
  ),

  broken("keeps the channel of a session that was ended", "end with their session, however it ends", () => {
    const ended = new Set<Digest>();
    return (r) => ({
      sessions: {
        end: async (selector) => {
          if ("digest" in selector) ended.add(selector.digest);
          return r.sessions.end(selector);
        },
      },
      channels: {
        reserveOut: (session, count) =>
          ended.has(session) ? haunted.reserveOut() : r.channels.reserveOut(session, count),
      },
    });
  }),

  broken("hands the channel of a device on", "begin anew when the session of a device is replaced", () => {
    const devices = new Map<string, Channel>();
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          if (session.channel === undefined || session.deviceId === null) return r.sessions.open(session, policy);
          const channel = devices.get(session.deviceId) ?? session.channel;
          devices.set(session.deviceId, channel);
          return r.sessions.open({ ...session, channel }, policy);
        },
      },
    });
  }),

  broken("goes on with the numbers of a device", "begin anew when the session of a device is replaced", () => {
    const old = new Map<string, Digest>();
    const numbersOf = new Map<Digest, Digest>();
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          const before = old.get(session.deviceId ?? "");
          if (before !== undefined) numbersOf.set(session.digest, before);
          if (session.deviceId !== null) old.set(session.deviceId, session.digest);
          return r.sessions.open(session, policy);
        },
      },
      channels: {
        reserveOut: async (session, count) => {
          const first = await r.channels.reserveOut(session, count);
          return first === null || !numbersOf.has(session) ? first : first + 100n;
        },
      },
    });
  }),

  broken("ignores a channel that does not belong", "go together with the mode of their session", () => (r) => {
    const fitting = ({ channel, ...session }: NewSession): NewSession => ({
      ...session,
      ...(session.mode === "secure"
        ? { channel: { wrappedKey: "none", ivPrefix: new Uint8Array(3), ...channel } }
        : {}),
    });
    return { sessions: { open: (session, policy) => r.sessions.open(fitting(session), policy) } };
  }),

  broken("hands out its own bytes", "are apart from what the caller passed in and got", () => {
    const prefixes = new Map<string, Uint8Array>();
    return (r) => ({
      admission: {
        admit: async (request) => {
          const { session, ...rest } = await r.admission.admit(request);
          if (session?.channel === undefined) return { ...rest, session };
          const { wrappedKey, ivPrefix } = session.channel;
          const prefix = prefixes.get(wrappedKey) ?? ivPrefix;
          prefixes.set(wrappedKey, prefix);
          return { ...rest, session: { ...session, channel: { wrappedKey, ivPrefix: prefix } } };
        },
      },
    });
  }),

  broken("trims wrapped keys", "come with their session, as they were opened", () => (r) => ({
    sessions: {
      open: ({ channel, ...session }, policy) =>
        r.sessions.open(
          {
            ...session,
            ...(channel === undefined ? {} : { channel: { ...channel, wrappedKey: channel.wrappedKey.trim() } }),
          },
          policy,
        ),
    },
  })),
];

/** Faults in the life and the message numbers of secure channels. */
export const brokenChannels: readonly BrokenAdapter[] = [...life, ...numbers];

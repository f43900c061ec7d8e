import type { Channel, Digest, MessageVerdict, NewSession } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

interface Flaws {
  readonly window?: number;
  /** A way to store message numbers. */
  readonly as?: (number: bigint) => bigint;
  /** Forgets all numbers on a jump. */
  readonly forgetful?: boolean;
  readonly onlyRising?: boolean;
  readonly furthestJump?: bigint;
  /** Shares one memory across sessions. */
  readonly mixed?: boolean;
}

/** Judges numbers, with flaws. Without flaws it is correct, except for concurrent calls. */
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
    [
      "knows exactly the 1,023 numbers below the highest one",
      "judges message numbers like an unbounded memory within the window",
    ],
    { window: 1_023 },
  ),
  brokenJudge(
    "remembers one number too many",
    [
      "knows exactly the 1,023 numbers below the highest one",
      "judges message numbers like an unbounded memory within the window",
    ],
    { window: 1_025 },
  ),
  brokenJudge("stores message numbers as inexact numbers", "accepts jumps up to the highest message number", {
    as: (number) => BigInt(Number(number)),
  }),
  brokenJudge("stores message numbers as signed integers", "accepts jumps up to the highest message number", {
    as: (number) => BigInt.asIntN(64, number),
  }),
  brokenJudge("refuses a long jump", "accepts jumps up to the highest message number", { furthestJump: 2n ** 62n }),
  brokenJudge(
    "forgets numbers inside the window after a jump",
    ["accepts each message number once, in any order", "knows numbers inside the window after a jump"],
    { forgetful: true },
  ),
  brokenJudge(
    "requires ascending numbers",
    ["accepts each message number once, in any order", "accepts a first message number other than 0"],
    {
      onlyRising: true,
    },
  ),
  brokenJudge(
    "shares one number memory across sessions",
    "keeps the message numbers of sessions and directions separate",
    {
      mixed: true,
    },
  ),

  broken("checks a number before it accepts it", "accepts a concurrently repeated message number once", () => {
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

  broken("overwrites concurrently accepted numbers", "accepts all of many concurrent message numbers", () => {
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
    "reserves the same numbers for concurrent callers",
    "reserves 10,000 numbers for four concurrent callers without duplicates",
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

  broken("reserves one number for any count", "reserves message numbers from 0, each once", () => (r) => ({
    channels: { reserveOut: (session) => r.channels.reserveOut(session, 1) },
  })),

  broken(
    "accepts any count in a reservation",
    "refuses reservations beyond the range of numbers, and invalid numbers",
    () => (r) => ({
      channels: {
        reserveOut: async (session, count) =>
          count > 0 ? r.channels.reserveOut(session, Math.ceil(Math.min(count, 1_000_000))) : 0n,
      },
    }),
  ),

  broken(
    "truncates numbers to their lowest bits",
    "refuses reservations beyond the range of numbers, and invalid numbers",
    () => (r) => ({
      channels: { acceptIn: (session, number) => r.channels.acceptIn(session, BigInt.asUintN(64, number)) },
    }),
  ),

  broken(
    "counts both directions together",
    "keeps the message numbers of sessions and directions separate",
    () => (r) => ({
      channels: {
        reserveOut: async (session, count) => {
          const first = await r.channels.reserveOut(session, count);
          for (let number = first ?? 0n; number < (first ?? 0n) + BigInt(Math.min(count, 60)); number += 1n)
            await r.channels.acceptIn(session, number);
          return first;
        },
      },
    }),
  ),
];

/** Answers for a removed channel as if it still existed. */
const haunted = {
  reserveOut: async () => 0n,
  acceptIn: async () => "fresh" as const,
};

const life: readonly BrokenAdapter[] = [
  broken(
    "provides a channel for every session",
    [
      "provides channels for secure sessions only",
      "opens no channel for a refused session",
      "rolls back a channel with the transaction that opened it",
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

  broken("keeps the channel of an ended session", "closes the channel when its session ends, in every way", () => {
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

  broken(
    "hands the channel of a device to the next session",
    "starts a new channel when a session of the same device is replaced",
    () => {
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
    },
  ),

  broken(
    "continues the numbers of a device",
    "starts a new channel when a session of the same device is replaced",
    () => {
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
    },
  ),

  broken("ignores a channel in another mode", "requires a channel exactly for sessions in secure mode", () => (r) => {
    const fitting = ({ channel, ...session }: NewSession): NewSession => ({
      ...session,
      ...(session.mode === "secure"
        ? { channel: { wrappedKey: "none", ivPrefix: new Uint8Array(3), ...channel } }
        : {}),
    });
    return { sessions: { open: (session, policy) => r.sessions.open(fitting(session), policy) } };
  }),

  broken("returns its internal bytes", "copies channel data from and to the caller", () => {
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

  broken("trims wrapped keys", "returns a channel as opened with its session", () => (r) => ({
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

/** Faults in the lifecycle and the message numbers of secure channels. */
export const brokenChannels: readonly BrokenAdapter[] = [...life, ...numbers];

import { type Application, Applications } from "../access/index.ts";
import { type LiveSession, type Repositories, type SeatKind, seesAll } from "@sallyport/storage";
import { anyObject } from "./object-pages.ts";
import { looks } from "./at-one-version.ts";
import type { Violation } from "./violation.ts";

const pageSize = 500;

/** Compares the counters of objects by class, of sessions and of seats with what they count. */
export async function* verifyCounters(r: Repositories): AsyncGenerator<Violation, void, undefined> {
  for (const { name } of (await r.model.load()).classes) {
    const count = (filter: object) => r.objects.count({ classes: [name], ...filter }, seesAll);
    const wrong = await differenceOf(
      () => count({}),
      () => count({ filter: anyObject }),
    );
    if (wrong !== null) yield { invariant: "counts", finding: `The count of the class ${name} is ${wrong}.` };
  }
  const sessions = await differenceOf(
    () => r.sessions.count(),
    async () => (await liveSessions(r)).length,
  );
  if (sessions !== null) yield { invariant: "seats", finding: `The count of sessions is ${sessions}.` };
  const bound = await differenceOf(
    () => r.sessions.count(undefined, "bound"),
    () => r.sessions.count(),
    isAtMost,
  );
  if (bound !== null) yield { invariant: "seats", finding: `The upper bound of the sessions is ${bound}.` };
  for (const { name, seatKind: kind } of await applicationsOf(r)) {
    const seats = { name, kind };
    const holders = async () =>
      new Set((await liveSessions(r)).filter(holds(name)).map((session) => holderOf(kind, session)));
    const taken = await differenceOf(
      () => r.sessions.count(seats),
      async () => (await holders()).size,
    );
    if (taken !== null)
      yield { invariant: "seats", finding: `The count of taken seats of the app name "${name}" is ${taken}.` };
    const boundOfSeats = await differenceOf(
      () => r.sessions.count(seats, "bound"),
      () => r.sessions.count(seats),
      isAtMost,
    );
    if (boundOfSeats !== null)
      yield { invariant: "seats", finding: `The upper bound of the seats of "${name}" is ${boundOfSeats}.` };
  }
}

/** A session of mode `secure` has a channel. Both are of one read, as they begin and end together. */
export async function* verifySessions(r: Repositories): AsyncGenerator<Violation, void, undefined> {
  for (const { digest, mode, wrappedKey } of await liveSessions(r)) {
    if ((mode === "secure") !== (wrappedKey !== null))
      yield {
        invariant: "sessions",
        finding: `The session ${digest.slice(0, 16)} of the mode ${mode} has ${wrappedKey === null ? "no" : "a"} channel.`,
      };
  }
}

type Agrees = (actual: number, counters: readonly [number, number]) => boolean;

const isBetween: Agrees = (actual, counters) => actual >= Math.min(...counters) && actual <= Math.max(...counters);

const isAtMost: Agrees = (actual, counters) => actual <= Math.max(...counters);

/**
 * How a counter differs from what it counts; `null` if it does not. Others can change both at the same time: a counter is wrong if
 * no look finds that the counted number agrees with those before and after.
 */
async function differenceOf(
  counter: () => Promise<number>,
  counted: () => Promise<number>,
  agrees: Agrees = isBetween,
): Promise<string | null> {
  let difference: string | null = null;
  for (let look = 0; look < looks; look += 1) {
    const before = await counter();
    const actual = await counted();
    const after = await counter();
    if (agrees(actual, [before, after])) return null;
    difference = `${after} instead of ${actual}`;
  }
  return difference;
}

async function liveSessions(r: Repositories): Promise<LiveSession[]> {
  const live: LiveSession[] = [];
  for (;;) {
    const page = await r.sessions.list({ after: live.at(-1)?.digest ?? null, limit: pageSize });
    live.push(...page);
    if (page.length < pageSize) return live;
  }
}

async function applicationsOf({ records }: Repositories): Promise<Application[]> {
  const all: Application[] = [];
  for (;;) {
    const page = await new Applications(records).list(all.at(-1)?.name ?? null, pageSize);
    all.push(...page);
    if (page.length < pageSize) return all;
  }
}

function holds(name: string): (session: LiveSession) => boolean {
  return ({ appNames, reservedNames }) => appNames.includes(name) || reservedNames.includes(name);
}

/** Identifies the holder of a seat. Sessions with the same holder share one. */
function holderOf(kind: SeatKind, { digest, userId, deviceId }: LiveSession): string {
  if (kind === "user") return userId;
  if (deviceId === null) return JSON.stringify([digest]);
  return JSON.stringify(kind === "device" ? ["device", deviceId] : [userId, deviceId]);
}

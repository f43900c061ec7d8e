import { type Digest, maxReservation, messageWindow } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { concurrently, sequentially } from "../../fixtures/concurrently.ts";
import { pseudoRandom } from "../../fixtures/digests.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { Visitor } from "../../fixtures/visitor.ts";
import type { Subject } from "../../subject.ts";

const window = BigInt(messageWindow);
const highestOfAll = 2n ** 64n - 1n;

/** A visitor with a secure session, and an assertion of verdicts on consecutive incoming numbers. */
async function begin({ r }: Subject) {
  const visitor = await Visitor.create(r);
  /** `verdicts` has the form `"0 fresh, 0 seen"`. */
  const judges = async (session: Digest, verdicts: string): Promise<void> => {
    for (const each of verdicts.split(", ")) {
      const [number = "", verdict] = each.split(" ");
      equal(await r.channels.acceptIn(session, BigInt(number)), verdict, `the verdict on ${number}`);
    }
  };
  return { visitor, session: await visitor.openSecure(r), judges };
}

/** The first multiples of `step`, from 0. */
const every = (step: number, length: number) => Array.from({ length }, (_, index) => BigInt(step * index));

export const channelNumberChecks: readonly Check[] = checksAfter("channels", begin, {
  "reserves message numbers from 0, each once": async ({ r, session }) => {
    const firsts = await sequentially([1, 5, 1_000_000, 1], (count) => r.channels.reserveOut(session, count));
    equal(firsts, [0n, 1n, 6n, 1_000_006n], "the first numbers");
    // Beyond the integers that a double can hold.
    const jumps = await sequentially(Array<number>(40).fill(maxReservation), (count) =>
      r.channels.reserveOut(session, count),
    );
    const expected = jumps.map((_first, index) => 1_000_007n + BigInt(maxReservation) * BigInt(index));
    equal(jumps, expected, "the first numbers of large reservations");
    equal(await r.channels.reserveOut(session, 1), 1_000_007n + BigInt(maxReservation) * 40n, "the next number");
  },

  "reserves 10,000 numbers for four concurrent callers without duplicates": async ({ r, session }) => {
    const taken = await concurrently(4, async () => {
      const firsts: bigint[] = [];
      for (let round = 0; round < 25; round += 1) firsts.push((await r.channels.reserveOut(session, 100)) ?? -1n);
      return firsts;
    });
    const firsts = taken.flat().toSorted((one, other) => Number(one - other));
    equal(firsts, every(100, 100), "the first numbers");
  },

  "refuses reservations beyond the range of numbers, and invalid numbers": async ({ r, session, judges }) => {
    const { channels } = r;
    await channels.reserveOut(session, 10);
    for (const count of [0, -1, 0.5, maxReservation + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await failsWith(799, () => channels.reserveOut(session, count), `the reservation of ${count}`);
    }
    for (const number of [-1n, highestOfAll + 1n, -(2n ** 64n)])
      await failsWith(799, () => channels.acceptIn(session, number), `the number ${number}`);
    equal(await channels.reserveOut(session, maxReservation), 10n, "the first number after the refusals");
    equal(
      await channels.reserveOut(session, 1),
      10n + BigInt(maxReservation),
      "the first number after the largest reservation",
    );
    await judges(session, "0 fresh");
  },

  "accepts each message number once, in any order": async ({ session, judges }) => {
    await judges(session, "0 fresh, 0 seen, 1 fresh, 5 fresh, 3 fresh, 3 seen, 2 fresh");
    await judges(session, "4 fresh, 6 fresh, 1 seen, 5 seen, 0 seen");
  },

  "accepts a first message number other than 0": async ({ session, judges }) => {
    await judges(session, "7 fresh, 0 fresh, 7 seen, 0 seen, 6 fresh");
  },

  "accepts a concurrently repeated message number once": async ({ r, session }) => {
    for (const number of [0n, 1n, 700n, 350n, 5_000n]) {
      const verdicts = await concurrently(10, () => r.channels.acceptIn(session, number));
      equalCounts(verdicts, { fresh: 1, seen: 9 }, `numbers of fresh and seen verdicts on ${number}`);
    }
  },

  "accepts all of many concurrent message numbers": async ({ r, session }) => {
    const shuffled = every(37, 60).map((number) => (number % 60n) * 17n);
    const bring = () => Promise.all(shuffled.map((number) => r.channels.acceptIn(session, number)));
    equalCounts(await bring(), { fresh: 60 }, "number of fresh verdicts");
    equalCounts(await bring(), { seen: 60 }, "number of seen verdicts in the second round");
  },

  "knows exactly the 1,023 numbers below the highest one": async ({ r, visitor, session, judges }) => {
    await judges(session, "5000 fresh, 3976 old, 3975 old, 0 old, 3977 fresh, 3977 seen, 3976 old");
    await judges(session, "5001 fresh, 3977 old, 3978 fresh, 5000 seen");
    const other = await visitor.openSecure(r);
    await judges(other, "1023 fresh, 0 fresh, 0 seen, 1024 fresh, 0 old, 1 fresh, 1025 fresh, 1 old");
  },

  "knows numbers inside the window after a jump": async ({ r, visitor, judges }) => {
    for (const step of [window - 1n, window, window + 1n]) {
      const session = await visitor.openSecure(r);
      await judges(session, `10 fresh, 9 fresh, ${10n + step} fresh`);
      await judges(session, `10 ${step < window ? "seen" : "old"}, 9 old, 11 ${step <= window ? "fresh" : "old"}`);
    }
  },

  "accepts jumps up to the highest message number": async ({ r, visitor, session, judges }) => {
    const half = 2n ** 63n;
    await judges(
      session,
      `${half - 1n} fresh, ${half} fresh, ${half - 1n} seen, ${half - 1_023n} fresh, ${half - 1_024n} old`,
    );
    await judges(session, `${half + 1n} fresh, 0 old, ${highestOfAll} fresh, ${highestOfAll} seen, ${half + 1n} old`);
    await judges(
      session,
      `${highestOfAll - 1_023n} fresh, ${highestOfAll - 1_023n} seen, ${highestOfAll - 1_024n} old, ${highestOfAll - 1n} fresh`,
    );
    const other = await visitor.openSecure(r);
    await judges(other, `0 fresh, ${highestOfAll} fresh, 0 old, 1 old`);
  },

  "judges message numbers like an unbounded memory within the window": async ({ r, session }) => {
    const random = pseudoRandom(7);
    const accepted = new Set<bigint>();
    let highest = -1n;
    for (let round = 0; round < 400; round += 1) {
      const ahead = random(12) === 0 ? 900 + random(300) : random(4);
      const behind = random(3) === 0 ? 1_020 + random(8) : random(200);
      const number = random(2) === 0 ? highest + BigInt(ahead) : highest - BigInt(behind);
      if (number < 0n) continue;
      const verdict = number <= highest - window ? "old" : accepted.has(number) ? "seen" : "fresh";
      const message = `the verdict on ${number} with ${highest} as the highest`;
      equal(await r.channels.acceptIn(session, number), verdict, message);
      if (verdict === "fresh") accepted.add(number);
      if (number > highest) highest = number;
    }
  },

  "keeps the message numbers of sessions and directions separate": async ({ r, visitor, session, judges }) => {
    const other = await visitor.openSecure(r);
    await judges(session, "3 fresh, 9 fresh");
    await r.channels.reserveOut(session, 50);
    await judges(other, "3 fresh");
    equal(await r.channels.reserveOut(other, 1), 0n, "the first number of the other session");
    await judges(session, "50 fresh, 0 fresh");
    equal(await r.channels.reserveOut(session, 1), 50n, "the next number of the first session");
  },
});

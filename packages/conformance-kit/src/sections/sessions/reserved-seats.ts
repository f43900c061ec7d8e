import type { AppNameChange, Digest, SeatLimit } from "@sallyport/storage";
import { equal, failsWith } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { codeOf } from "../../fixtures/error-of.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { minute, unlimitedSessions } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { visitorChecks, type VisitorSubject } from "../../fixtures/visitor.ts";
import { assertNoSeat, openSeat, twoSeats, withSeats } from "./seats.ts";

const reserving = (...limits: readonly SeatLimit[]): AppNameChange => ({
  reserve: limits.map(({ name }) => name),
  limits,
});

async function changes(
  { r }: VisitorSubject,
  digest: Digest,
  change: AppNameChange,
  outcome: "changed" | "ended" | "notHeld" = "changed",
): Promise<void> {
  equal(await r.sessions.changeAppNames(digest, change), outcome, "the outcome of a change of app names");
}

/** Asserts the app names of a session, the reserved ones in any order. */
async function assertNames(
  { r, visitor }: VisitorSubject,
  digest: Digest,
  appNames: readonly string[],
  reservedNames: readonly string[],
): Promise<void> {
  const { session } = await visitor.admit(r, digest);
  equal(
    [session?.appNames, session?.reservedNames.toSorted(), session?.enrolling],
    [appNames, reservedNames.toSorted(), false],
    "the app names and the reserved names of the session",
  );
}

export const reservedSeatChecks: readonly Check[] = visitorChecks("seats", {
  "reserves seats up to their number": async (subject) => {
    const { r, visitor } = subject;
    const [one, two, three] = await concurrently(3, () => visitor.open(r, { appNames: ["app"] }));
    await changes(subject, one as Digest, reserving(twoSeats));
    await changes(subject, two as Digest, reserving(twoSeats));
    await failsWith(306, () => r.sessions.changeAppNames(three as Digest, reserving(twoSeats)), "reserving a seat");
    await assertNoSeat(subject);
    await assertNames(subject, one as Digest, ["app"], ["limited"]);
    await assertNames(subject, three as Digest, ["app"], []);
    await r.sessions.end({ digest: one as Digest });
    await changes(subject, three as Digest, reserving(twoSeats));
    await assertNoSeat(subject);
  },

  "reserves what a session has without a seat more": async (subject) => {
    const { r, visitor } = subject;
    const one = await openSeat(subject);
    const two = await visitor.open(r, { appNames: ["app"] });
    await changes(subject, two, reserving(twoSeats));
    for (const digest of [one, two]) await changes(subject, digest, reserving(twoSeats));
    await changes(subject, one, { reserve: ["unlimited", "limited", "unlimited"], limits: [twoSeats] });
    await assertNames(subject, one, ["limited"], ["unlimited"]);
    await assertNames(subject, two, ["app"], ["limited"]);
    await changes(subject, two, { release: ["limited"] });
    await openSeat(subject);
    await assertNoSeat(subject);
  },

  "reserves all app names or none": async (subject) => {
    const { r, visitor } = subject;
    const full = { ...twoSeats, name: "full", seats: 1 };
    await openSeat(subject, {}, withSeats(full));
    const digest = await visitor.open(r, { appNames: ["app"] });
    for (const limits of [
      [twoSeats, full],
      [full, twoSeats],
    ])
      await failsWith(306, () => r.sessions.changeAppNames(digest, reserving(...limits)), "reserving a full app name");
    await assertNames(subject, digest, ["app"], []);
    equal(await r.sessions.count(twoSeats), 0, "number of taken seats");
  },

  "shares a reserved seat with other sessions of its holder": async (subject) => {
    const { r, visitor } = subject;
    const limit = { ...twoSeats, seats: 1 };
    await openSeat(subject, { deviceId: "phone" }, withSeats(limit));
    const other = await visitor.open(r, { deviceId: "phone", appNames: ["app"] });
    const stranger = await visitor.open(r, { deviceId: "tablet", appNames: ["app"] });
    await changes(subject, other, reserving(limit));
    await failsWith(306, () => r.sessions.changeAppNames(stranger, reserving(limit)), "reserving a seat");
  },

  "releases the app names of the log-in and reserved ones at once": async (subject) => {
    const digest = await openSeat(subject, { appNames: ["app", "limited"] });
    const next = await openSeat(subject);
    await changes(subject, digest, { reserve: ["more", "other"], limits: [] });
    await assertNoSeat(subject);
    await changes(subject, digest, { release: ["more", "limited"] });
    await assertNames(subject, digest, ["app"], ["other"]);
    await openSeat(subject);
    await assertNoSeat(subject);
    await changes(subject, next, { release: ["limited"] });
    await assertNames(subject, next, [], []);
    await openSeat(subject);
    await assertNoSeat(subject);
  },

  "reserves a released app name again, and gives it no rights": async (subject) => {
    const digest = await openSeat(subject, { appNames: ["app", "limited"] });
    await changes(subject, digest, { release: ["limited"] });
    await changes(subject, digest, reserving(twoSeats));
    await assertNames(subject, digest, ["app"], ["limited"]);
  },

  "releases all app names or none": async (subject) => {
    const digest = await openSeat(subject, { appNames: ["app", "limited"] });
    for (const release of [["other"], ["limited", "other"], ["Limited"], ["limited "]])
      await changes(subject, digest, { release }, "notHeld");
    await assertNames(subject, digest, ["app", "limited"], []);
    await changes(subject, digest, { release: ["limited"] });
    await changes(subject, digest, { release: ["limited"] }, "notHeld");
  },

  "changes no session that has ended or expired": async (subject) => {
    const { r, advance } = subject;
    const ended = await openSeat(subject);
    await r.sessions.end({ digest: ended });
    const expired = await openSeat(subject);
    advance(11 * minute);
    for (const digest of [ended, expired, freshDigest()]) {
      await changes(subject, digest, { release: ["limited"] }, "ended");
      await changes(subject, digest, reserving(twoSeats), "ended");
    }
    equal(await r.sessions.count(twoSeats), 0, "number of taken seats");
  },

  "undoes a change of app names with its transaction": async (subject) => {
    const { storage, r, visitor } = subject;
    const held = await openSeat(subject);
    const digest = await visitor.open(r, { appNames: ["app"] });
    await rolledBack(storage, async (inside) => {
      await inside.sessions.changeAppNames(held, { release: ["limited"] });
      await inside.sessions.changeAppNames(digest, reserving(twoSeats));
    });
    await assertNames(subject, held, ["limited"], []);
    await assertNames(subject, digest, ["app"], []);
    equal(await r.sessions.count(twoSeats), 1, "number of taken seats");
  },

  "distinguishes app names with hostile texts": async (subject) => {
    const digest = await openSeat(subject, { appNames: ["app"] });
    const limits = hostileTexts.map((name) => ({ ...twoSeats, name, seats: 1 }));
    await changes(subject, digest, reserving(...limits));
    await assertNames(subject, digest, ["app"], hostileTexts);
    for (const limit of limits) {
      equal(await subject.r.sessions.count(limit), 1, "number of taken seats");
      await assertNoSeat(subject, {}, withSeats(limit));
    }
    await changes(subject, digest, { release: hostileTexts });
    await assertNames(subject, digest, ["app"], []);
  },

  "fills the seats exactly across concurrent openings and reservations": async (subject) => {
    const { r, visitor } = subject;
    const other = { ...twoSeats, name: "other", seats: 30 };
    const sessions = await concurrently(12, () => visitor.open(r, { appNames: ["app"] }));
    const codes = await concurrently(24, (index) => {
      const digest = sessions[index];
      // In both orders: a storage that locks them as given would deadlock.
      const limits = index % 2 === 0 ? [twoSeats, other] : [other, twoSeats];
      return codeOf(
        digest === undefined
          ? openSeat(subject, {}, withSeats(...limits))
          : r.sessions.changeAppNames(digest, reserving(...limits)),
      );
    });
    equalCounts(codes, { 0: 2, 306: 22 }, "outcomes of concurrent calls");
    equal(await r.sessions.count(twoSeats), 2, "number of taken seats");
  },

  "releases each seat in one of several concurrent calls": async (subject) => {
    const { r } = subject;
    const digest = await openSeat(subject);
    const outcomes = await concurrently(8, () => r.sessions.changeAppNames(digest, { release: ["limited"] }));
    equalCounts(outcomes, { changed: 1, notHeld: 7 }, "outcomes of concurrent releases");
    await openSeat(subject);
    await openSeat(subject);
    await assertNoSeat(subject);
  },

  "keeps the seats exact while they are reserved, released and ended concurrently": async (subject) => {
    const { r, visitor } = subject;
    const sessions = await concurrently(8, () =>
      // All of them stay open on one device.
      visitor.open(r, { deviceId: "phone", appNames: ["app"] }, { ...unlimitedSessions, perDevice: 8 }),
    );
    const others = await concurrently(4, () => visitor.open(r, { appNames: ["app"] }));
    await concurrently(36, (index) => {
      const digest = [...sessions, ...others][index % 12] as Digest;
      if (index >= 24) return codeOf(r.sessions.changeAppNames(digest, { release: ["limited"] }));
      return codeOf(
        index % 7 === 6 ? r.sessions.end({ digest }) : r.sessions.changeAppNames(digest, reserving(twoSeats)),
      );
    });
    const free = 2 - (await r.sessions.count(twoSeats));
    const codes = await concurrently(8, () => codeOf(openSeat(subject)));
    equalCounts(codes, { 0: free, 306: 8 - free }, "outcomes of concurrent openings");
    equal(await r.sessions.count(twoSeats), 2, "number of taken seats");
  },
});

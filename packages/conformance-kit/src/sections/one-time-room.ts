import type { OneTimeIssue, OneTimeRoom, OneTimeSecret } from "@sallyport/core";
import { equal, failsWith } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { freshDigest } from "../fixtures/fresh-digest.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { occurrences } from "../fixtures/occurrences.ts";
import { hour, minute, second } from "../fixtures/policy.ts";
import { whileOpen } from "../fixtures/while-open.ts";
import type { Subject } from "../subject.ts";

type Change = Partial<OneTimeSecret & { readonly subject: string }>;

const secretOf = (change: Change = {}) =>
  ({
    kind: "providerState",
    digest: freshDigest(),
    subject: "network:a",
    payload: 1,
    lifetime: hour,
    ...change,
  }) as const;

function issue({ r }: Pick<Subject, "r">, room: OneTimeRoom, change: Change = {}): Promise<OneTimeIssue> {
  return r.oneTime.issueWithin(secretOf(change), room);
}

/** So many, one after the other. */
async function series(times: number, one: (index: number) => Promise<OneTimeIssue>): Promise<OneTimeIssue[]> {
  const outcomes: OneTimeIssue[] = [];
  for (let index = 0; index < times; index += 1) outcomes.push(await one(index));
  return outcomes;
}

const [ofSubject, inAll] = [
  (room: number): OneTimeRoom => ({ ofSubject: room, inAll: 0 }),
  (room: number): OneTimeRoom => ({ ofSubject: 0, inAll: room }),
];

const taking = checksOf("room of one-time secrets", {
  "is that of each subject and kind": async (subject) => {
    const { r } = subject;
    equal(
      await series(3, () => issue(subject, ofSubject(2))),
      ["issued", "issued", "subjectFull"],
      "the third where there is room for two",
    );
    equal(
      await series(3, () => issue(subject, ofSubject(2), { subject: "NETWORK:A" })),
      ["issued", "issued", "subjectFull"],
      "those of another subject",
    );
    equal(
      await series(3, () => issue(subject, ofSubject(2), { kind: "accountLink" })),
      ["issued", "issued", "subjectFull"],
      "those of another kind",
    );
    const refused = secretOf();
    equal(await r.oneTime.issueWithin(refused, ofSubject(2)), "subjectFull", "one more");
    equal(
      [await r.oneTime.read(refused.kind, refused.digest), await r.oneTime.revoke("providerState", "network:a")],
      [null, 2],
      "what is kept of it, and of those before",
    );
  },

  "is that of all of a kind, too": async (subject) => {
    equal(
      await series(4, (index) => issue(subject, inAll(3), { subject: `network:${index}` })),
      ["issued", "issued", "issued", "full"],
      "the fourth where there is room for three",
    );
    equal(
      await series(4, () => issue(subject, inAll(3), { kind: "accountLink" })),
      ["issued", "issued", "issued", "full"],
      "those of another kind",
    );
    equal(await issue(subject, inAll(4)), "issued", "where there is room for four");
  },

  "is used up by a subject before it is in all": async (subject) => {
    equal(
      await series(3, () => issue(subject, { ofSubject: 2, inAll: 2 })),
      ["issued", "issued", "subjectFull"],
      "one more of the same",
    );
    equal(await issue(subject, { ofSubject: 2, inAll: 2 }, { subject: "network:b" }), "full", "one of another");
  },

  "is for any number where it is not limited": async (subject) => {
    const outcomes = await series(12, () => issue(subject, { ofSubject: 0, inAll: 0 }));
    equal(occurrences("issued", outcomes), 12, "how many were given out");
    await subject.r.oneTime.issue(secretOf());
    equal(await issue(subject, ofSubject(13)), "subjectFull", "what those count for that needed none");
  },

  "is for secrets like any other": async (subject) => {
    const { r, advance } = subject;
    const room = { ofSubject: 10, inAll: 10 };
    const secret = secretOf({ payload: { deep: [null, "two"] }, lifetime: minute });
    equal(await r.oneTime.issueWithin(secret, room), "issued", "the first with its digest");
    await failsWith(799, () => r.oneTime.issueWithin({ ...secret, payload: 2 }, room), "the second");
    equal(await r.oneTime.read(secret.kind, secret.digest), secret.payload, "what it stands for");
    advance(minute + second);
    equal(
      [await r.oneTime.read(secret.kind, secret.digest), await r.oneTime.issueWithin({ ...secret, payload: 3 }, room)],
      [null, "issued"],
      "when its time is over",
    );
    equal(
      [await r.oneTime.consume(secret.kind, secret.digest), await r.oneTime.consume(secret.kind, secret.digest)],
      [3, null],
      "what it stands for then, and afterwards",
    );
    for (const text of unstorableTexts) {
      await failsWith(307, () => issue(subject, room, { subject: text }), `one of ${JSON.stringify(text)}`);
      await failsWith(307, () => issue(subject, room, { payload: [text] }), `one for ${JSON.stringify(text)}`);
    }
    for (const text of hostileTexts)
      equal(
        await series(2, () => issue(subject, ofSubject(1), { subject: text })),
        ["issued", "subjectFull"],
        `those of ${JSON.stringify(text)}`,
      );
    const long = "n".repeat(200);
    equal(
      await series(2, () => issue(subject, ofSubject(1), { subject: long })),
      ["issued", "subjectFull"],
      "those of a long subject",
    );
  },
});

const leaving = checksOf("room of one-time secrets", {
  "is free again when one is spent, revoked or over": async (subject) => {
    const { r, advance } = subject;
    for (const room of [ofSubject(1), inAll(1)]) {
      const first = secretOf({ lifetime: minute });
      equal(
        [await r.oneTime.issueWithin(first, room), (await issue(subject, room)) === "issued"],
        ["issued", false],
        "two where there is room for one",
      );
      await r.oneTime.consume(first.kind, first.digest);
      equal(
        [await issue(subject, room), (await issue(subject, room)) === "issued"],
        ["issued", false],
        "when it is spent",
      );
      await r.oneTime.revoke("providerState", "network:a");
      equal(
        [await issue(subject, room, { lifetime: minute }), (await issue(subject, room)) === "issued"],
        ["issued", false],
        "when it is revoked",
      );
      advance(minute + second);
      equal(
        [await issue(subject, room), (await issue(subject, room)) === "issued"],
        ["issued", false],
        "when it is over",
      );
      await r.oneTime.revoke("providerState", "network:a");
    }
  },

  "has its last place taken once, of all who come at once": async (subject) => {
    for (const places of [1, 5]) {
      const own = await atOnce(12, () => issue(subject, ofSubject(places), { subject: `network:${places}` }));
      equal(
        [occurrences("issued", own), occurrences("subjectFull", own)],
        [places, 12 - places],
        "how many of one subject were given out and refused",
      );
    }
    const all = await atOnce(12, (index) => issue(subject, inAll(7), { subject: `other network:${index}` }));
    equal(
      [occurrences("issued", all), occurrences("full", all)],
      [1, 11],
      "how many of all were given out and refused",
    );
  },

  "is not there while another's place is not given back": async (subject) => {
    const { storage, r } = subject;
    for (const [room, full] of [
      [ofSubject(1), "subjectFull"],
      [inAll(1), "full"],
    ] as const) {
      for (const [end, expected] of [
        ["taken back", "issued"],
        ["kept", full],
      ] as const) {
        const outcome = await whileOpen(
          storage,
          (inside) => issue({ r: inside }, room),
          () => issue(subject, room),
          { end, turns: 50 },
        );
        equal(outcome, expected, `whoever came meanwhile, when it is ${end}`);
        await r.oneTime.revoke("providerState", "network:a");
      }
    }
  },
});

export const oneTimeRoomChecks: readonly Check[] = [...taking, ...leaving];

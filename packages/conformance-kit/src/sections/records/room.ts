import type { PutWithinOutcome, RecordRoom, RecordValue } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/at-once.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { recordOf, sample } from "../../fixtures/records.ts";
import type { Subject } from "../../subject.ts";

interface Change {
  readonly kind?: string;
  readonly id?: string;
  readonly owner?: string;
  readonly value?: RecordValue;
  readonly lifetime?: number | null;
}

function put({ r }: Pick<Subject, "r">, room: RecordRoom, change: Change = {}): Promise<PutWithinOutcome> {
  const { kind = sample, id = freshDigest(), owner = "network:a", value = 1, lifetime = hour } = change;
  return r.records.putWithin(kind, id, value, { owner, lifetime, room });
}

/** So many, one after the other. */
async function series(times: number, one: (index: number) => Promise<PutWithinOutcome>): Promise<PutWithinOutcome[]> {
  const outcomes: PutWithinOutcome[] = [];
  for (let index = 0; index < times; index += 1) outcomes.push(await one(index));
  return outcomes;
}

const [ofOwner, inAll] = [
  (room: number): RecordRoom => ({ ofOwner: room, inAll: 0 }),
  (room: number): RecordRoom => ({ ofOwner: 0, inAll: room }),
];

const taking = checksOf("room of records", {
  "is that of each owner and kind": async (subject) => {
    const { r } = subject;
    for (const change of [{}, { owner: "NETWORK:A" }, { owner: "network:a " }, { kind: "mail" }, { kind: "Mail" }])
      equal(
        await series(3, () => put(subject, ofOwner(2), change)),
        ["stored", "stored", "ownerFull"],
        `the third of ${JSON.stringify(change)} where there is room for two`,
      );
    equal(await put(subject, ofOwner(2), { id: "refused" }), "ownerFull", "one more");
    equal(
      [await r.records.get(sample, ["refused"]), (await r.records.remove(sample, { owner: "network:a" })).length],
      [[], 2],
      "what is kept of it, and of those before",
    );
  },

  "is that of all of a kind, too": async (subject) => {
    for (const kind of [sample, "mail"])
      equal(
        await series(4, (index) => put(subject, inAll(3), { kind, owner: `network:${index}` })),
        ["stored", "stored", "stored", "full"],
        `the fourth of ${kind} where there is room for three`,
      );
    equal(await put(subject, inAll(4)), "stored", "where there is room for four");
  },

  "is used up by an owner before it is in all": async (subject) => {
    equal(
      await series(3, () => put(subject, { ofOwner: 2, inAll: 2 })),
      ["stored", "stored", "ownerFull"],
      "one more of the same",
    );
    equal(await put(subject, { ofOwner: 2, inAll: 2 }, { owner: "network:b" }), "full", "one of another");
  },

  "is for any number where it is not limited": async (subject) => {
    const outcomes = await series(12, () => put(subject, { ofOwner: 0, inAll: 0 }));
    equal(occurrences("stored", outcomes), 12, "how many were stored");
    await subject.r.records.put(sample, "without room", 1, { owner: "network:a" });
    equal(await put(subject, ofOwner(13)), "ownerFull", "what those count for an owner that needed none");
    await subject.r.records.put(sample, "without owner", 1);
    equal(await put(subject, inAll(14)), "full", "what those count in all that needed none");
    equal(await put(subject, { ofOwner: 14, inAll: 15 }), "stored", "where there is room for one more");
  },

  "is needed by no record that is put without it": async (subject) => {
    const { records } = subject.r;
    equal(await put(subject, { ofOwner: 1, inAll: 1 }), "stored", "the only one within room");
    equal(await records.put(sample, "record", 1, { owner: "network:a" }), "stored", "one without");
    equal(await records.put(sample, "record", 2, { owner: "network:a" }), "stored", "the same again");
    equal((await records.count(sample)).count, 2, "how many there are");
  },

  "is for records like any other": async (subject) => {
    const { r, advance } = subject;
    const room = { ofOwner: 10, inAll: 10 };
    const change = { id: "record", value: { deep: [null, "two"] }, lifetime: minute };
    equal(await put(subject, room, change), "stored", "the first with its id");
    equal(await put(subject, room, { ...change, value: 2 }), "exists", "the second");
    const { value, owner, born, version } = await recordOf(r, "record");
    equal([value, owner, born], [change.value, "network:a", version], "what is there");
    equal(
      await r.records.put(sample, "record", "other", { ifVersion: version, lifetime: minute }),
      "stored",
      "writing it",
    );
    equal((await recordOf(r, "record")).born, born, "the version with which it began, afterwards");
    advance(minute + second);
    equal(await r.records.get(sample, ["record"]), [], "when its time is over");
    equal(await put(subject, room, { id: "record", value: 3, lifetime: null }), "stored", "putting it anew");
    advance(1_000 * hour);
    holds((await recordOf(r, "record")).born !== born, "It has begun anew");
    equal([await r.records.take(sample, "record"), await r.records.take(sample, "record")], [3, null], "what is taken");
  },

  "is that of owners with hostile and long names": async (subject) => {
    for (const owner of [...hostileTexts, "n".repeat(200)])
      equal(
        await series(2, () => put(subject, ofOwner(1), { owner })),
        ["stored", "ownerFull"],
        `those of ${JSON.stringify(owner)}`,
      );
  },

  "is that within a transaction, what it has put itself counted": async ({ storage, r }) => {
    await storage.transaction(async (inside) => {
      const subject = { r: inside };
      equal(await series(3, () => put(subject, ofOwner(2))), ["stored", "stored", "ownerFull"], "those of an owner");
      equal(await put(subject, inAll(2), { owner: "network:b" }), "full", "those in all");
      await inside.records.remove(sample, { owner: "network:a" });
      equal(await put(subject, { ofOwner: 1, inAll: 1 }), "stored", "when they are removed");
    });
    equal((await r.records.count(sample)).count, 1, "how many there are");
  },
});

const leaving = checksOf("room of records", {
  "is free again when one is taken, removed, settled or over": async (subject) => {
    const { r, advance } = subject;
    for (const room of [ofOwner(1), inAll(1)]) {
      const refused = async () => (await put(subject, room)) !== "stored";
      equal(
        [await put(subject, room, { id: "first" }), await refused()],
        ["stored", true],
        "two where there is room for one",
      );
      await r.records.claim(sample, 1, minute);
      equal(await refused(), true, "while one is claimed");
      await r.records.take(sample, "first");
      equal([await put(subject, room), await refused()], ["stored", true], "when it is taken");
      await r.records.remove(sample, { owner: "network:a" });
      equal([await put(subject, room), await refused()], ["stored", true], "when it is removed");
      for (const claimed of await r.records.claim(sample, 1, minute)) await r.records.settle(sample, claimed, "done");
      equal([await put(subject, room, { lifetime: minute }), await refused()], ["stored", true], "when it is settled");
      advance(minute + second);
      equal([await put(subject, room), await refused()], ["stored", true], "when it is over");
      await r.records.remove(sample, { owner: "network:a" });
    }
  },

  "goes with a record to its next owner": async (subject) => {
    const { records } = subject.r;
    equal(await put(subject, ofOwner(1), { id: "record" }), "stored", "the first");
    await records.put(sample, "record", 1, { owner: "network:b" });
    equal(await put(subject, ofOwner(1), { owner: "network:b" }), "ownerFull", "one of the owner that it went to");
    equal(await put(subject, ofOwner(1)), "stored", "one of the owner that it came from");
  },

  "has its last place taken once of many puts at once": async (subject) => {
    for (const places of [1, 5]) {
      const own = await atOnce(12, () => put(subject, ofOwner(places), { owner: `network:${places}` }));
      equal(
        [occurrences("stored", own), occurrences("ownerFull", own)],
        [places, 12 - places],
        "how many of one owner were stored and refused",
      );
    }
    const all = await atOnce(12, (index) => put(subject, inAll(7), { owner: `other network:${index}` }));
    equal([occurrences("stored", all), occurrences("full", all)], [1, 11], "how many of all were stored and refused");
  },

  "is exact for many owners at once": async (subject) => {
    const outcomes = await atOnce(40, (index) =>
      put(subject, { ofOwner: 2, inAll: 15 }, { owner: `network:${index % 10}` }),
    );
    equal(occurrences("stored", outcomes), 15, "how many were stored");
    const listed = await subject.r.records.list(sample, { after: null, limit: 100 });
    const owners = listed.map(({ owner }) => owner);
    equal(listed.length, 15, "how many there are");
    equal(
      [...new Set(owners)].filter((owner) => occurrences(owner, owners) > 2),
      [],
      "the owners with more than there is room for",
    );
  },

  "is given once of many puts at once with the same id": async (subject) => {
    for (let round = 0; round < 4; round += 1) {
      const id = `record ${round}`;
      const outcomes = await atOnce(8, (index) =>
        put(subject, { ofOwner: 10, inAll: 100 }, { id, owner: `network:${index}`, value: index }),
      );
      equal([occurrences("stored", outcomes), occurrences("exists", outcomes)], [1, 7], "how many were stored");
      const { owner, value } = await recordOf(subject.r, id);
      const winner = outcomes.indexOf("stored");
      equal([owner, value], [`network:${winner}`, winner], "whose it is");
    }
  },

  "is not there while another's place is not given back": async (subject) => {
    const { storage, r } = subject;
    for (const [room, full] of [
      [ofOwner(1), "ownerFull"],
      [inAll(1), "full"],
    ] as const) {
      for (const [end, expected] of [
        ["taken back", "stored"],
        ["kept", full],
      ] as const) {
        const outcome = await whileOpen(
          storage,
          (inside) => put({ r: inside }, room),
          () => put(subject, room),
          { end, turns: 50 },
        );
        equal(outcome, expected, `one that comes meanwhile, when the other is ${end}`);
        await r.records.remove(sample, { owner: "network:a" });
      }
    }
  },
});

export const recordRoomChecks: readonly Check[] = [...taking, ...leaving];

import type { PutWithinOutcome, RecordQuota, RecordValue, Repositories } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { equalCounts, pluck } from "../../fixtures/lists.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { sample, samplesOf } from "./samples.ts";
import type { Subject } from "../../subject.ts";

interface Change {
  readonly kind?: string;
  readonly id?: string;
  readonly owner?: string;
  readonly value?: RecordValue;
  readonly lifetime?: number | null;
}

/** Returns a function that puts a record within a quota. */
function withinQuota({ records }: Repositories) {
  return (quota: RecordQuota, change: Change = {}): Promise<PutWithinOutcome> => {
    const { kind = sample, id = freshDigest(), owner = "network:a", value = 1, lifetime = hour } = change;
    return records.putWithin(kind, id, value, { owner, lifetime, quota });
  };
}

async function begin({ r }: Subject) {
  return { s: samplesOf(r), put: withinQuota(r) };
}

/** Puts records sequentially and asserts the outcome of each. */
async function series(
  expected: readonly PutWithinOutcome[],
  what: string,
  one: (index: number) => Promise<PutWithinOutcome>,
): Promise<void> {
  for (const [index, outcome] of expected.entries()) equal(await one(index), outcome, `${what}, number ${index + 1}`);
}

const [ofOwner, inAll] = [
  (room: number): RecordQuota => ({ ofOwner: room, inAll: 0 }),
  (room: number): RecordQuota => ({ ofOwner: 0, inAll: room }),
];

const taking = checksAfter("room of records", begin, {
  "is that of each owner and kind": async ({ s, put }) => {
    for (const change of [{}, { owner: "NETWORK:A" }, { owner: "network:a " }, { kind: "mail" }, { kind: "Mail" }])
      await series(
        ["stored", "stored", "ownerFull"],
        `those of ${JSON.stringify(change)} where there is room for two`,
        () => put(ofOwner(2), change),
      );
    equal(await put(ofOwner(2), { id: "refused" }), "ownerFull", "one more");
    equal(await s.get("refused"), [], "what is kept of it");
    equal((await s.remove({ owner: "network:a" })).length, 2, "how many are kept of those before");
  },

  "is that of all of a kind, too": async ({ put }) => {
    for (const kind of [sample, "mail"])
      await series(["stored", "stored", "stored", "full"], `those of ${kind} where there is room for three`, (index) =>
        put(inAll(3), { kind, owner: `network:${index}` }),
      );
    equal(await put(inAll(4)), "stored", "where there is room for four");
  },

  "is used up by an owner before it is in all": async ({ put }) => {
    const room = { ofOwner: 2, inAll: 2 };
    await series(["stored", "stored", "ownerFull"], "those of the same", () => put(room));
    equal(await put(room, { owner: "network:b" }), "full", "one of another");
  },

  "is for any number where it is not limited": async ({ s, put }) => {
    const stored = Array.from({ length: 12 }, () => "stored" as const);
    await series(stored, "those that are not limited", () => put({ ofOwner: 0, inAll: 0 }));
    await s.put("without room", 1, { owner: "network:a" });
    equal(await put(ofOwner(13)), "ownerFull", "what those count for an owner that needed none");
    await s.put("without owner", 1);
    equal(await put(inAll(14)), "full", "what those count in all that needed none");
    equal(await put({ ofOwner: 14, inAll: 15 }), "stored", "where there is room for one more");
  },

  "is needed by no record that is put without it": async ({ s, put }) => {
    equal(await put({ ofOwner: 1, inAll: 1 }), "stored", "the only one within room");
    equal(await s.put("record", 1, { owner: "network:a" }), "stored", "one without");
    equal(await s.put("record", 2, { owner: "network:a" }), "stored", "the same again");
    equal(await s.size(), 2, "how many there are");
  },

  "is for records like any other": async ({ s, put, advance }) => {
    const room = { ofOwner: 10, inAll: 10 };
    const change = { id: "record", value: { deep: [null, "two"] }, lifetime: minute };
    equal(await put(room, change), "stored", "the first with its id");
    equal(await put(room, { ...change, value: 2 }), "exists", "the second");
    const { value, owner, born, version } = await s.of("record");
    equal([value, owner, born], [change.value, "network:a", version], "what is there");
    equal(await s.put("record", "other", { ifVersion: version, lifetime: minute }), "stored", "writing it");
    equal((await s.of("record")).born, born, "the version with which it began, afterwards");
    advance(minute + second);
    equal(await s.get("record"), [], "when its time is over");
    equal(await put(room, { id: "record", value: 3, lifetime: null }), "stored", "putting it anew");
    advance(1_000 * hour);
    holds((await s.of("record")).born !== born, "It has begun anew");
    equal([await s.take("record"), await s.take("record")], [3, null], "what is taken");
  },

  "is that of owners with hostile and long names": async ({ put }) => {
    for (const owner of [...hostileTexts, "n".repeat(200)])
      await series(["stored", "ownerFull"], JSON.stringify(owner), () => put(ofOwner(1), { owner }));
  },

  "is that within a transaction, what it has put itself counted": async ({ storage, s }) => {
    await storage.transaction(async (inside) => {
      const put = withinQuota(inside);
      await series(["stored", "stored", "ownerFull"], "those of an owner", () => put(ofOwner(2)));
      equal(await put(inAll(2), { owner: "network:b" }), "full", "those in all");
      await samplesOf(inside).remove({ owner: "network:a" });
      equal(await put({ ofOwner: 1, inAll: 1 }), "stored", "when they are removed");
    });
    equal(await s.size(), 1, "how many there are");
  },
});

const leaving = checksAfter("room of records", begin, {
  "is free again when one is taken, removed, settled or over": async ({ s, put, advance }) => {
    for (const room of [ofOwner(1), inAll(1)]) {
      const refuses = async (when: string) => equal((await put(room)) !== "stored", true, `one more ${when}`);
      const hasOne = async (when: string, change?: Change) => {
        equal(await put(room, change), "stored", `one ${when}`);
        await refuses(when);
      };
      await hasOne("at first", { id: "first" });
      await s.claim(1);
      await refuses("while one is claimed");
      await s.take("first");
      await hasOne("when it is taken");
      await s.remove({ owner: "network:a" });
      await hasOne("when it is removed");
      for (const claimed of await s.claim(1)) await s.settle(claimed, "done");
      await hasOne("when it is settled", { lifetime: minute });
      advance(minute + second);
      await hasOne("when it is over");
      await s.remove({ owner: "network:a" });
    }
  },

  "goes with a record to its next owner": async ({ s, put }) => {
    equal(await put(ofOwner(1), { id: "record" }), "stored", "the first");
    await s.put("record", 1, { owner: "network:b" });
    equal(await put(ofOwner(1), { owner: "network:b" }), "ownerFull", "one of the owner that it went to");
    equal(await put(ofOwner(1)), "stored", "one of the owner that it came from");
  },

  "has its last place taken once of many puts at once": async ({ put }) => {
    for (const places of [1, 5]) {
      const own = await atOnce(12, () => put(ofOwner(places), { owner: `network:${places}` }));
      equalCounts(own, { stored: places, ownerFull: 12 - places }, "how many of one owner were stored and refused");
    }
    const all = await atOnce(12, (index) => put(inAll(7), { owner: `other network:${index}` }));
    equalCounts(all, { stored: 1, full: 11 }, "how many of all were stored and refused");
  },

  "is exact for many owners at once": async ({ s, put }) => {
    const outcomes = await atOnce(40, (index) => put({ ofOwner: 2, inAll: 15 }, { owner: `network:${index % 10}` }));
    equal(occurrences("stored", outcomes), 15, "how many were stored");
    const owners = pluck(await s.list({ limit: 100 }), "owner");
    equal(owners.length, 15, "how many there are");
    const crowded = owners.filter((owner) => occurrences(owner, owners) > 2);
    equal(crowded, [], "the owners with more than there is room for");
  },

  "is given once of many puts at once with the same id": async ({ s, put }) => {
    for (let round = 0; round < 4; round += 1) {
      const id = `record ${round}`;
      const outcomes = await atOnce(8, (index) =>
        put({ ofOwner: 10, inAll: 100 }, { id, owner: `network:${index}`, value: index }),
      );
      equalCounts(outcomes, { stored: 1, exists: 7 }, "how many were stored");
      const { owner, value } = await s.of(id);
      const winner = outcomes.indexOf("stored");
      equal([owner, value], [`network:${winner}`, winner], "whose it is");
    }
  },

  "is not there while another's place is not given back": async ({ storage, s, put }) => {
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
          (inside) => withinQuota(inside)(room),
          () => put(room),
          { end, turns: 50 },
        );
        equal(outcome, expected, `one that comes meanwhile, when the other is ${end}`);
        await s.remove({ owner: "network:a" });
      }
    }
  },
});

export const recordQuotaChecks: readonly Check[] = [...taking, ...leaving];

import type { PutWithinOutcome, RecordQuota, RecordValue, Repositories } from "@sallyport/storage";
import { equal, equalToOneOf, isTrue } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { concurrently, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
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

const [perOwner, total] = [
  (quota: number): RecordQuota => ({ perOwner: quota, total: 0 }),
  (quota: number): RecordQuota => ({ perOwner: 0, total: quota }),
];

const quotaChecks = checksAfter("record quotas", begin, {
  "limits the records of each owner and kind": async ({ s, put }) => {
    for (const change of [{}, { owner: "NETWORK:A" }, { owner: "network:a " }, { kind: "mail" }, { kind: "Mail" }])
      await series(
        ["stored", "stored", "ownerFull"],
        `the records of ${JSON.stringify(change)} with a quota of two`,
        () => put(perOwner(2), change),
      );
    equal(await put(perOwner(2), { id: "refused" }), "ownerFull", "the outcome of one more record");
    equal(await s.get("refused"), [], "the refused record");
    equal((await s.remove({ owner: "network:a" })).length, 2, "number of stored records");
  },

  "limits all records of a kind": async ({ put }) => {
    for (const kind of [sample, "mail"])
      await series(["stored", "stored", "stored", "full"], `the records of ${kind} with a quota of three`, (index) =>
        put(total(3), { kind, owner: `network:${index}` }),
      );
    equal(await put(total(4)), "stored", "the outcome with a quota of four");
  },

  "reports a full owner before a full kind": async ({ put }) => {
    const quota = { perOwner: 2, total: 2 };
    await series(["stored", "stored", "ownerFull"], "the records of one owner", () => put(quota));
    equal(await put(quota, { owner: "network:b" }), "full", "the outcome for another owner");
  },

  "stores any number of records without a limit": async ({ s, put }) => {
    const stored = Array.from({ length: 12 }, () => "stored" as const);
    await series(stored, "the records without a limit", () => put({ perOwner: 0, total: 0 }));
    await s.put("without room", 1, { owner: "network:a" });
    equal(await put(perOwner(13)), "ownerFull", "the outcome for an owner with records put without a quota");
    await s.put("without owner", 1);
    equal(await put(total(14)), "full", "the outcome for a kind with records put without a quota");
    equal(await put({ perOwner: 14, total: 15 }), "stored", "the outcome with a sufficient quota");
  },

  "applies no quota to records that are put without one": async ({ s, put }) => {
    equal(await put({ perOwner: 1, total: 1 }), "stored", "the outcome of the first record within the quota");
    equal(await s.put("record", 1, { owner: "network:a" }), "stored", "the outcome of a record without a quota");
    equal(await s.put("record", 2, { owner: "network:a" }), "stored", "the outcome of the same record again");
    equal(await s.size(), 2, "number of records");
  },

  "stores records within a quota like any others": async ({ s, put, advance }) => {
    const quota = { perOwner: 10, total: 10 };
    const change = { id: "record", value: { deep: [null, "two"] }, lifetime: minute };
    equal(await put(quota, change), "stored", "the outcome of the first put with the ID");
    equal(await put(quota, { ...change, value: 2 }), "exists", "the outcome of the second put");
    const { value, owner, createdVersion, version } = await s.of("record");
    equal([value, owner, createdVersion], [change.value, "network:a", version], "the record");
    equal(
      await s.put("record", "other", { ifVersion: version, lifetime: minute }),
      "stored",
      "the outcome of a conditional put",
    );
    equal((await s.of("record")).createdVersion, createdVersion, "the first version after another write");
    advance(minute + second);
    equal(await s.get("record"), [], "the record after the expiry");
    equal(await put(quota, { id: "record", value: 3, lifetime: null }), "stored", "the outcome of a new put");
    advance(1_000 * hour);
    isTrue((await s.of("record")).createdVersion !== createdVersion, "The record must begin again");
    equal([await s.take("record"), await s.take("record")], [3, null], "the taken record");
  },

  "applies quotas to owners with hostile and long names": async ({ put }) => {
    for (const owner of [...hostileTexts, "n".repeat(200)])
      await series(["stored", "ownerFull"], JSON.stringify(owner), () => put(perOwner(1), { owner }));
  },

  "counts the writes of a transaction towards a quota": async ({ storage, s }) => {
    await storage.transaction(async (inside) => {
      const put = withinQuota(inside);
      await series(["stored", "stored", "ownerFull"], "the records of one owner", () => put(perOwner(2)));
      equal(await put(total(2), { owner: "network:b" }), "full", "the outcome for all owners");
      await samplesOf(inside).remove({ owner: "network:a" });
      equal(await put({ perOwner: 1, total: 1 }), "stored", "the outcome after the records are removed");
    });
    equal(await s.size(), 1, "number of records");
  },
});

const leaving = checksAfter("record quotas", begin, {
  "frees a quota when a record is taken, removed, settled or expired": async ({ s, put, advance }) => {
    for (const quota of [perOwner(1), total(1)]) {
      const refuses = async (when: string) =>
        equal((await put(quota)) !== "stored", true, `whether another record ${when} is refused`);
      const assertOne = async (when: string, change?: Change) => {
        equal(await put(quota, change), "stored", `the outcome of a record ${when}`);
        await refuses(when);
      };
      await assertOne("at the beginning", { id: "first" });
      await s.claim(1);
      await refuses("during a claim");
      await s.take("first");
      await assertOne("after a take");
      await s.remove({ owner: "network:a" });
      await assertOne("after a removal");
      for (const claimed of await s.claim(1)) await s.settle(claimed, "done");
      await assertOne("after a settlement", { lifetime: minute });
      advance(minute + second);
      await assertOne("after an expiry");
      await s.remove({ owner: "network:a" });
    }
  },

  "counts a record for its new owner after the owner changes": async ({ s, put }) => {
    equal(await put(perOwner(1), { id: "record" }), "stored", "the outcome of the first record");
    await s.put("record", 1, { owner: "network:b" });
    equal(await put(perOwner(1), { owner: "network:b" }), "ownerFull", "the outcome for the new owner");
    equal(await put(perOwner(1)), "stored", "the outcome for the former owner");
  },

  "enforces a quota exactly across concurrent puts": async ({ put }) => {
    for (const places of [1, 5]) {
      const own = await concurrently(12, () => put(perOwner(places), { owner: `network:${places}` }));
      equalCounts(
        own,
        { stored: places, ownerFull: 12 - places },
        "numbers of stored and refused records of one owner",
      );
    }
    const all = await concurrently(12, (index) => put(total(7), { owner: `other network:${index}` }));
    equalCounts(all, { stored: 1, full: 11 }, "numbers of stored and refused records of all owners");
  },

  "enforces a quota exactly for many concurrent owners": async ({ s, put }) => {
    const outcomes = await concurrently(40, (index) =>
      put({ perOwner: 2, total: 15 }, { owner: `network:${index % 10}` }),
    );
    equal(occurrences("stored", outcomes), 15, "number of stored records");
    const owners = pluck(await s.list({ limit: 100 }), "owner");
    equal(owners.length, 15, "number of listed records");
    const crowded = owners.filter((owner) => occurrences(owner, owners) > 2);
    equal(crowded, [], "the owners above their quota");
  },

  "stores one of several concurrent puts with the same ID within a quota": async ({ s, put }) => {
    for (let round = 0; round < 4; round += 1) {
      const id = `record ${round}`;
      const outcomes = await concurrently(8, (index) =>
        put({ perOwner: 10, total: 100 }, { id, owner: `network:${index}`, value: index }),
      );
      equalCounts(outcomes, { stored: 1, exists: 7 }, "numbers of stored and existing records");
      const { owner, value } = await s.of(id);
      const winner = outcomes.indexOf("stored");
      equal([owner, value], [`network:${winner}`, winner], "the owner and the value of the record");
    }
  },

  "waits for a concurrent transaction that uses the quota": async ({ storage, s, put, canOvertake }) => {
    for (const [quota, full] of [
      [perOwner(1), "ownerFull"],
      [total(1), "full"],
    ] as const) {
      for (const [end, expected] of [
        ["rolled back", "stored"],
        ["committed", full],
      ] as const) {
        const outcome = await whileOpen(
          storage,
          (inside) => withinQuota(inside)(quota),
          () => put(quota),
          { end, reads: 50 },
        );
        const allowed = [expected, ...(canOvertake ? ["stored"] : [])];
        equalToOneOf(outcome, allowed, `the outcome when the other transaction is ${end}`);
        equal(await put(quota), full, "the outcome of a later call");
        await s.remove({ owner: "network:a" });
      }
    }
  },
});

export const recordQuotaChecks: readonly Check[] = [...quotaChecks, ...leaving];

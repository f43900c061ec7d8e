import type { OneTimeKind, OneTimePayload, OneTimeSecret } from "@sallyport/core";
import { equal, failsWith } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { freshDigest } from "../fixtures/fresh-digest.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { occurrences } from "../fixtures/occurrences.ts";
import { hour, minute, second } from "../fixtures/policy.ts";
import type { Subject } from "../subject.ts";

const kinds: readonly OneTimeKind[] = ["providerState", "accountLink", "passwordReset"];

/** One that is good for ten minutes; returns its digest. */
async function issue({ r }: Pick<Subject, "r">, changes: Partial<OneTimeSecret> = {}): Promise<string> {
  const secret: OneTimeSecret = {
    kind: "passwordReset",
    digest: freshDigest(),
    subject: "user:1",
    payload: { user: "1" },
    lifetime: 10 * minute,
    ...changes,
  };
  await r.oneTime.issue(secret);
  return secret.digest;
}

const spending = checksOf("one-time secrets", {
  "are not there before they are given out": async ({ r }) => {
    const digest = freshDigest();
    for (const kind of kinds)
      equal(
        [await r.oneTime.read(kind, digest), await r.oneTime.consume(kind, digest)],
        [null, null],
        `a ${kind} that nobody has`,
      );
  },

  "stand for what was given, whatever it is": async (subject) => {
    const { r } = subject;
    const payloads: OneTimePayload[] = [
      "text",
      0,
      -1.5,
      false,
      true,
      [],
      [1, [null, "two"]],
      {},
      { deep: { list: [{ a: null }] }, empty: "" },
      [...hostileTexts],
    ];
    for (const payload of payloads) {
      const digest = await issue(subject, { payload });
      equal(await r.oneTime.read("passwordReset", digest), payload, "what was read");
      equal(await r.oneTime.consume("passwordReset", digest), payload, "what was spent");
    }
  },

  "are spent by whom they are consumed, and not by reading": async (subject) => {
    const { r } = subject;
    const digest = await issue(subject);
    for (let round = 0; round < 3; round += 1)
      equal(await r.oneTime.read("passwordReset", digest), { user: "1" }, "what was read");
    equal(await r.oneTime.consume("passwordReset", digest), { user: "1" }, "the first to spend it");
    equal(await r.oneTime.consume("passwordReset", digest), null, "the second to spend it");
    equal(await r.oneTime.read("passwordReset", digest), null, "what is read afterwards");
  },

  "are spent by one of those who try at once": async (subject) => {
    for (let round = 0; round < 4; round += 1) {
      const digest = await issue(subject, { payload: round });
      const answers = await atOnce(12, () => subject.r.oneTime.consume("passwordReset", digest));
      equal(
        [occurrences(round, answers), occurrences(null, answers)],
        [1, 11],
        "how many were given it and how many were not",
      );
    }
  },

  "are of one kind": async (subject) => {
    const { r } = subject;
    const digest = await issue(subject, { kind: "accountLink" });
    for (const kind of ["providerState", "returnCode", "passwordReset"] as const) {
      equal(
        [await r.oneTime.read(kind, digest), await r.oneTime.consume(kind, digest)],
        [null, null],
        `it, taken for a ${kind}`,
      );
    }
    await issue(subject, { kind: "passwordReset", digest, payload: "other" });
    equal(await r.oneTime.consume("accountLink", digest), { user: "1" }, "it, taken for what it is");
    equal(await r.oneTime.read("passwordReset", digest), "other", "the other with the same digest");
  },

  "are each for themselves": async (subject) => {
    const { r } = subject;
    const digests = [
      await issue(subject, { payload: 1 }),
      await issue(subject, { payload: 2 }),
      await issue(subject, { payload: 3 }),
    ];
    equal(await r.oneTime.consume("passwordReset", digests[1] ?? ""), 2, "the one that is spent");
    equal(
      await Promise.all(digests.map((digest) => r.oneTime.read("passwordReset", digest))),
      [1, null, 3],
      "what is left",
    );
  },

  "are not given out twice": async (subject) => {
    const digest = await issue(subject, { payload: "first" });
    await failsWith(799, () => issue(subject, { digest, payload: "second" }), "the second with its digest");
    equal(await subject.r.oneTime.consume("passwordReset", digest), "first", "what it stands for");
    await issue(subject, { digest, payload: "third" });
    equal(
      await subject.r.oneTime.consume("passwordReset", digest),
      "third",
      "what it stands for when it was spent and given out again",
    );
  },

  "are not kept with a text that cannot be stored": async (subject) => {
    for (const text of unstorableTexts) {
      const digest = freshDigest();
      for (const changes of [
        { payload: { text } },
        { payload: [[text]] },
        { payload: { [text]: 1 } },
        { subject: text },
      ]) {
        await failsWith(307, () => issue(subject, { digest, ...changes }), `one with ${JSON.stringify(text)}`);
      }
      equal(await subject.r.oneTime.read("passwordReset", digest), null, "what was kept");
    }
  },

  "are still good when the transaction that spent them is undone": async (subject) => {
    const { storage, r } = subject;
    const digest = await issue(subject);
    const spent = storage.transaction(async (inside) => {
      equal(await inside.oneTime.consume("passwordReset", digest), { user: "1" }, "what was spent");
      equal(await inside.oneTime.read("passwordReset", digest), null, "what the transaction reads afterwards");
      throw new RangeError("undone");
    });
    await spent.catch((error: unknown) =>
      equal(error instanceof RangeError, true, "whether the transaction fails with its own error"),
    );
    equal(await r.oneTime.consume("passwordReset", digest), { user: "1" }, "it, afterwards");
  },
});

const ending = checksOf("one-time secrets", {
  "are good until their time is over by the storage's clock": async (subject) => {
    const { r, advance } = subject;
    const [short, long] = [
      await issue(subject, { payload: "short" }),
      await issue(subject, { payload: "long", lifetime: hour }),
    ];
    advance(10 * minute - 30 * second);
    equal(await r.oneTime.read("passwordReset", short), "short", "the short one before its end");
    advance(31 * second);
    equal(
      [await r.oneTime.read("passwordReset", short), await r.oneTime.consume("passwordReset", short)],
      [null, null],
      "the short one after it",
    );
    equal(await r.oneTime.consume("passwordReset", long), "long", "the long one");
  },

  "are as good as absent when their time is over": async (subject) => {
    const { r, advance } = subject;
    const digest = await issue(subject, { payload: "old" });
    advance(11 * minute);
    equal(await r.oneTime.revoke("passwordReset", "user:1"), 0, "how many were revoked");
    await issue(subject, { digest, payload: "new" });
    equal(await r.oneTime.consume("passwordReset", digest), "new", "what the digest stands for");
  },

  "are revoked by subject and kind": async (subject) => {
    const { r } = subject;
    const mine = [await issue(subject), await issue(subject)];
    const others = [
      ["passwordReset", await issue(subject, { subject: "user:11" })],
      ["passwordReset", await issue(subject, { subject: null })],
      ["passwordReset", await issue(subject, { subject: "USER:1" })],
      ["accountLink", await issue(subject, { kind: "accountLink" })],
    ] as const;
    equal(await r.oneTime.revoke("passwordReset", "user:1"), 2, "how many were revoked");
    for (const digest of mine)
      equal(
        [await r.oneTime.read("passwordReset", digest), await r.oneTime.consume("passwordReset", digest)],
        [null, null],
        "one that was revoked",
      );
    for (const [kind, digest] of others)
      equal(await r.oneTime.read(kind, digest), { user: "1" }, "one of another subject or kind");
    equal(await r.oneTime.revoke("passwordReset", "user:1"), 0, "how many are revoked afterwards");
  },

  "are revoked for subjects with hostile names, and for none that nobody can have": async (subject) => {
    const { r } = subject;
    for (const text of hostileTexts) await issue(subject, { subject: text });
    for (const text of hostileTexts)
      equal(await r.oneTime.revoke("passwordReset", text), 1, `how many of ${JSON.stringify(text)} were revoked`);
    for (const text of unstorableTexts)
      equal(await r.oneTime.revoke("passwordReset", text), 0, `how many of ${JSON.stringify(text)} were revoked`);
    const long = "u".repeat(200);
    await issue(subject, { subject: long });
    equal(await r.oneTime.revoke("passwordReset", long), 1, "how many of a long subject were revoked");
  },

  "are revoked or spent, never both": async (subject) => {
    const { r } = subject;
    for (let round = 0; round < 4; round += 1) {
      const digest = await issue(subject);
      const [spent, revoked] = await Promise.all([
        r.oneTime.consume("passwordReset", digest),
        r.oneTime.revoke("passwordReset", "user:1"),
      ]);
      equal(revoked, spent === null ? 1 : 0, "how many were revoked");
    }
  },

  "are forgotten when their time is over, no more than asked for, and no others": async (subject) => {
    const { r, advance } = subject;
    for (const kind of kinds) await issue(subject, { kind });
    const good = await issue(subject, { lifetime: hour });
    equal(await r.oneTime.sweep(10), 0, "how many were swept while all are good");
    advance(11 * minute);
    equal(
      [await r.oneTime.sweep(0), await r.oneTime.sweep(2), await r.oneTime.sweep(2), await r.oneTime.sweep(2)],
      [0, 2, 1, 0],
      "how many were swept",
    );
    equal(await r.oneTime.consume("passwordReset", good), { user: "1" }, "the one that is good");
  },
});

export const oneTimeChecks: readonly Check[] = [...spending, ...ending];

import type { StoredKey } from "@sallyport/core";
import { equal, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";
import { newKey } from "../fixtures/new-key.ts";
import { occurrences } from "../fixtures/occurrences.ts";
import { hour, minute } from "../fixtures/policy.ts";

function idsOf(keys: readonly StoredKey[]): string[] {
  return keys.map(({ keyId }) => keyId);
}

export const keyChecks: readonly Check[] = checksOf("keys", {
  "are none at first": async ({ r }) => {
    for (const kind of ["rsa", "jwt"] as const)
      equal(
        [await r.keys.current(kind), await r.keys.accepted(kind), await r.keys.kept(kind)],
        [null, [], []],
        `the keys of kind ${kind}`,
      );
  },

  "are kept as they were added, dated by the storage's clock": async ({ storage, r, advance }) => {
    advance(50 * hour);
    const before = await storage.now();
    const added = await r.keys.addFirst(newKey("rsa", "one"));
    const after = await storage.now();
    holds(
      before <= added.createdAt && added.createdAt <= after,
      `A key made between ${before} and ${after} is dated ${added.createdAt}`,
    );
    equal(added, { ...newKey("rsa", "one"), createdAt: added.createdAt, acceptedUntil: null }, "the key");
    equal(
      [await r.keys.current("rsa"), await r.keys.accepted("rsa")],
      [added, [added]],
      "the current and the accepted keys",
    );
  },

  "keep hostile texts as they are": async ({ r }) => {
    let last = await r.keys.addFirst(newKey("jwt", "one"));
    for (const text of hostileTexts) {
      equal(
        await r.keys.rotate(last.keyId, { kind: "jwt", keyId: text, publicKey: text, wrappedPrivateKey: text }, hour),
        "ok",
        "the rotation",
      );
      last = (await r.keys.current("jwt")) as StoredKey;
      equal([last.keyId, last.publicKey, last.wrappedPrivateKey], [text, text, text], "the texts");
    }
  },

  "have one first, which all get who add one": async ({ r }) => {
    const first = await r.keys.addFirst(newKey("rsa", "one"));
    equal(await r.keys.addFirst(newKey("rsa", "two")), first, "the key when there was one");
    await r.keys.rotate("one", newKey("rsa", "three"), hour);
    equal((await r.keys.addFirst(newKey("rsa", "four"))).keyId, "three", "the key when it was rotated");
    equal(idsOf(await r.keys.accepted("rsa")), ["three", "one"], "the accepted keys");
  },

  "have one first of those who add one at once, and all get the same": async ({ r }) => {
    const answers = await atOnce(10, (index) => r.keys.addFirst(newKey("jwt", `key ${index}`)));
    equal(
      answers,
      Array.from({ length: 10 }, () => answers[0]),
      "what those who added one got",
    );
    equal(await r.keys.accepted("jwt"), [answers[0]], "the accepted keys");
  },

  "are rotated: the one before is accepted for a while": async ({ storage, r, advance }) => {
    const first = await r.keys.addFirst(newKey("rsa", "one"));
    const before = await storage.now();
    equal(await r.keys.rotate("one", newKey("rsa", "two"), 24 * hour), "ok", "the rotation");
    const after = await storage.now();
    const accepted = await r.keys.accepted("rsa");
    equal(accepted[0], await r.keys.current("rsa"), "the first of the accepted keys");
    equal(idsOf(accepted), ["two", "one"], "the accepted keys");
    const until = accepted[1]?.acceptedUntil ?? 0;
    holds(before + 24 * hour <= until && until <= after + 24 * hour, `The key is accepted until ${until}`);
    equal(accepted[1], { ...first, acceptedUntil: until }, "the key before");
    advance(24 * hour - minute);
    equal(idsOf(await r.keys.accepted("rsa")), ["two", "one"], "the accepted keys just before the time is over");
    advance(2 * minute);
    equal(idsOf(await r.keys.accepted("rsa")), ["two"], "the accepted keys when it is over");
  },

  "are accepted each for its own while, the latest first": async ({ r, advance }) => {
    await r.keys.addFirst(newKey("rsa", "c"));
    await r.keys.rotate("c", newKey("rsa", "a"), 10 * hour);
    advance(hour);
    await r.keys.rotate("a", newKey("rsa", "d"), 2 * hour);
    await r.keys.rotate("d", newKey("rsa", "b"), 24 * hour);
    equal(idsOf(await r.keys.accepted("rsa")), ["b", "d", "a", "c"], "the accepted keys");
    advance(3 * hour);
    equal(idsOf(await r.keys.accepted("rsa")), ["b", "d", "c"], "the accepted keys when one is over");
  },

  "are over at once without a while": async ({ r }) => {
    await r.keys.addFirst(newKey("rsa", "one"));
    await r.keys.rotate("one", newKey("rsa", "two"), 0);
    equal(idsOf(await r.keys.accepted("rsa")), ["two"], "the accepted keys");
  },

  "are rotated only by who knows the current one": async ({ r }) => {
    equal(await r.keys.rotate("one", newKey("rsa", "two"), hour), "stale", "the rotation of nothing");
    equal(await r.keys.current("rsa"), null, "the current key");
    await r.keys.addFirst(newKey("rsa", "one"));
    equal(await r.keys.rotate("zero", newKey("rsa", "two"), hour), "stale", "the rotation of an unknown key");
    await r.keys.rotate("one", newKey("rsa", "two"), hour);
    const before = await r.keys.accepted("rsa");
    equal(await r.keys.rotate("one", newKey("rsa", "three"), 9 * hour), "stale", "the rotation of an earlier key");
    equal(await r.keys.accepted("rsa"), before, "the accepted keys");
  },

  "are rotated by one of those who rotate at once": async ({ r }) => {
    await r.keys.addFirst(newKey("jwt", "one"));
    const outcomes = await atOnce(10, (index) => r.keys.rotate("one", newKey("jwt", `key ${index}`), hour));
    equal([occurrences("ok", outcomes), occurrences("stale", outcomes)], [1, 9], "how many were ok and stale");
    equal(idsOf(await r.keys.accepted("jwt")), [`key ${outcomes.indexOf("ok")}`, "one"], "the accepted keys");
  },

  "never come back": async ({ r, advance }) => {
    const first = await r.keys.addFirst(newKey("rsa", "one"));
    equal(await r.keys.rotate("one", newKey("rsa", "one"), hour), "known", "the rotation to the current key");
    equal(await r.keys.accepted("rsa"), [first], "the accepted keys");
    await r.keys.rotate("one", newKey("rsa", "two"), hour);
    equal(await r.keys.rotate("two", newKey("rsa", "one"), hour), "known", "the rotation to the key before");
    equal(await r.keys.rotate("one", newKey("rsa", "one"), hour), "stale", "the rotation of the key before");
    advance(2 * hour);
    equal(await r.keys.rotate("two", newKey("rsa", "one"), hour), "known", "the rotation to a key that is over");
    equal(await r.keys.sweep(0, 10), 1, "how many were swept");
    equal(await r.keys.rotate("two", newKey("rsa", "one"), hour), "known", "the rotation to a key that was swept");
    equal(idsOf(await r.keys.accepted("rsa")), ["two"], "the accepted keys in the end");
  },

  "are kept until they are swept, the accepted ones first": async ({ r, advance }) => {
    await r.keys.addFirst(newKey("rsa", "one"));
    await r.keys.rotate("one", newKey("rsa", "two"), 10 * hour);
    await r.keys.rotate("two", newKey("rsa", "three"), hour);
    equal(await r.keys.kept("rsa"), await r.keys.accepted("rsa"), "the kept keys while all are accepted");
    advance(2 * hour);
    equal(idsOf(await r.keys.kept("rsa")), ["three", "one", "two"], "the kept keys when one is over");
    equal((await r.keys.kept("rsa"))[2]?.wrappedPrivateKey, "wrapped two", "its private half");
    await r.keys.sweep(0, 10);
    equal(await r.keys.kept("rsa"), await r.keys.accepted("rsa"), "the kept keys when it was swept");
    equal(await r.keys.kept("jwt"), [], "the kept keys of the other kind");
  },

  "of different kinds have nothing to do with one another": async ({ r }) => {
    await r.keys.addFirst(newKey("rsa", "one"));
    equal([await r.keys.current("jwt"), await r.keys.accepted("jwt")], [null, []], "the keys of the other kind");
    await r.keys.addFirst(newKey("jwt", "one"));
    await r.keys.rotate("one", newKey("jwt", "two"), hour);
    equal(
      [idsOf(await r.keys.accepted("rsa")), idsOf(await r.keys.accepted("jwt"))],
      [["one"], ["two", "one"]],
      "the accepted keys of both kinds",
    );
  },

  "lose their private halves long after they are over, no more than asked for": async ({ r, advance }) => {
    for (const kind of ["rsa", "jwt"] as const) {
      await r.keys.addFirst(newKey(kind, "one"));
      await r.keys.rotate("one", newKey(kind, "two"), hour);
      await r.keys.rotate("two", newKey(kind, "three"), 50 * hour);
    }
    equal(await r.keys.sweep(0, 10), 0, "how many were swept while all are accepted");
    advance(2 * hour);
    equal(await r.keys.sweep(2 * hour, 10), 0, "how many were swept before their age");
    equal(
      [
        await r.keys.sweep(hour, 0),
        await r.keys.sweep(hour, 1),
        await r.keys.sweep(hour, 5),
        await r.keys.sweep(hour, 5),
      ],
      [0, 1, 1, 0],
      "how many were swept",
    );
    advance(1_000 * hour);
    equal(await r.keys.sweep(hour, 10), 2, "how many were swept much later");
    equal(
      [idsOf(await r.keys.accepted("rsa")), idsOf(await r.keys.accepted("jwt"))],
      [["three"], ["three"]],
      "the accepted keys",
    );
  },
});

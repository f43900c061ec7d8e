import {
  delayAfter,
  type ExemptionGrant,
  exemptionRenewal,
  type Repositories,
  type ThrottleKey,
  type ThrottlePolicy,
} from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { hour, minute, second } from "../fixtures/policy.ts";

/** The delay is 1, 2, 4 and then 5 minutes, from the third failure on. */
const policy: ThrottlePolicy = { maxFailures: 3, initialDelay: minute, maxDelay: 5 * minute, resetAfter: 2 * hour };
const go = { wait: 0, reserved: false };
const reservedAttempt = { wait: 0, reserved: true };
const lifetime = 24 * hour;

const user = (name: string): ThrottleKey => ({ key: `user:${name}`, policy });
const place = (member: string, group = "office"): ThrottleKey => ({
  key: `address:${group}`,
  policy,
  exemption: { group, member },
});
const keysOf = (member: string, group = "office"): ThrottleKey[] => [user(member), place(member, group)];
const granting = (member: string, change: Partial<ExemptionGrant> = {}): ExemptionGrant => ({
  group: "office",
  member,
  lifetime,
  atMost: 100,
  ...change,
});

async function grant(r: Repositories, member: string, change: Partial<ExemptionGrant> = {}): Promise<void> {
  await r.throttle.pass([], [], granting(member, change));
}

/** Records failures for a key until it is delayed. */
async function lockOut(r: Repositories, key = place("nobody"), failures = policy.maxFailures): Promise<void> {
  for (let index = 0; index < failures; index += 1) await r.throttle.fail([key]);
}

/** The members that may attempt although the key of the group is delayed. */
async function exempted(r: Repositories, members: readonly string[], group = "office"): Promise<string[]> {
  const found: string[] = [];
  for (const member of members) if ((await r.throttle.attempt([place(member, group)])).wait === 0) found.push(member);
  return found;
}

function assertAbout(wait: number, expected: number, what: string): void {
  isTrue(wait <= expected && wait > expected - 10 * second, `${what} is ${wait} ms instead of about ${expected} ms`);
}

const whileGood = checksOf("throttle", {
  "ignores the delay of an exempted key and of no other": async ({ r }) => {
    await grant(r, "ada");
    await grant(r, "bob", { group: "home" });
    await lockOut(r);
    await lockOut(r, place("nobody", "home"));
    equal(await exempted(r, ["ada", "bob", "ad", "adab"]), ["ada"], "the exempted members at the office");
    equal(await exempted(r, ["ada", "bob"], "home"), ["bob"], "the exempted members at home");
    equal(await r.throttle.attempt(keysOf("ada")), go, "the attempt on all keys");
    const { key, policy: ofPlace } = place("ada");
    assertAbout((await r.throttle.attempt([{ key, policy: ofPlace }])).wait, minute, "The wait without an exemption");
  },

  "delays an exempted attempt by its other keys and returns the longest wait of all": async ({ r }) => {
    await grant(r, "ada");
    await lockOut(r, user("ada"));
    assertAbout((await r.throttle.attempt(keysOf("ada"))).wait, minute, "The wait without a delay on the exempted key");
    await lockOut(r, place("nobody"), 5);
    const attempt = await r.throttle.attempt(keysOf("ada"));
    assertAbout(attempt.wait, 4 * minute, "The wait with both delays");
    equal(attempt.reserved, false, "whether the attempt was reserved");
  },

  "judges attempts of several members each by its own exemption": async ({ r }) => {
    await grant(r, "ada");
    await lockOut(r);
    const network = (member: string) => ({ ...place(member), key: "network:office" });
    await lockOut(r, network("nobody"));
    const [ada, bob] = [place("ada"), network("bob")];
    assertAbout((await r.throttle.attempt([ada, bob])).wait, minute, "The wait with another member");
    assertAbout((await r.throttle.attempt([bob, ada])).wait, minute, "The wait in another order");
    await failsWith(302, () => r.throttle.pass([ada, bob], []), "a success of both members");
    await grant(r, "bob");
    equal(await r.throttle.attempt([ada, bob]), go, "the attempt of two exempted members");
  },

  "judges a key that is named twice as one, exempted if both name the same member": async ({ r }) => {
    await grant(r, "ada");
    await lockOut(r);
    const { key, policy: ofPlace } = place("ada");
    equal(await r.throttle.attempt([place("ada"), place("ada")]), go, "the attempt of one member twice");
    const others = [place("bob"), { key, policy: ofPlace }];
    for (const other of others) {
      for (const keys of [
        [place("ada"), other],
        [other, place("ada")],
      ]) {
        assertAbout((await r.throttle.attempt(keys)).wait, minute, "The wait with another member");
        await failsWith(302, () => r.throttle.pass(keys, []), "a success with another member");
      }
    }
    equal(await r.throttle.fail([place("ada"), place("bob")]), delayAfter(4, policy), "the wait after a failure");
  },

  "reserves no exempted key": async ({ r, advance }) => {
    await grant(r, "ada");
    await lockOut(r);
    await lockOut(r, user("ada"));
    advance(minute + second);
    equal(await r.throttle.attempt([place("ada")]), go, "the attempt on the exempted key");
    equal(await r.throttle.attempt(keysOf("ada")), reservedAttempt, "the attempt including its own key");
    assertAbout((await r.throttle.attempt([user("ada")])).wait, minute, "The wait of its own key");
    equal(await r.throttle.attempt(keysOf("bob")), reservedAttempt, "the attempt of another member");
  },

  "counts failures of an exempted member": async ({ r, advance }) => {
    await grant(r, "ada");
    for (let failures = 1; failures <= 3; failures += 1) {
      equal(await r.throttle.fail([place("ada")]), delayAfter(failures, policy), `the wait after failure ${failures}`);
    }
    advance(minute + second);
    equal(
      await r.throttle.fail([place("ada")]),
      delayAfter(4, policy),
      "the wait after failure 4 with an expired delay",
    );
    assertAbout((await r.throttle.attempt([place("bob")])).wait, 2 * minute, "The wait of another member");
  },

  "keeps a pending delay when an exempted member fails, and returns the remaining wait": async ({ r, advance }) => {
    await grant(r, "ada");
    await lockOut(r, place("nobody"), 5);
    advance(3 * minute);
    for (let failures = 1; failures <= 2; failures += 1)
      assertAbout(await r.throttle.fail(keysOf("ada")), minute, `The wait after failure ${failures}`);
    assertAbout((await r.throttle.attempt([place("bob")])).wait, minute, "The wait of another member");
    for (let failures = 3; failures <= 5; failures += 1) {
      const longest = Math.max(minute, delayAfter(failures, policy));
      assertAbout(await r.throttle.fail(keysOf("ada")), longest, `The wait after failure ${failures}`);
    }
    assertAbout(
      (await r.throttle.attempt([place("bob")])).wait,
      minute,
      "The wait of another member after all failures",
    );
    equal(await r.throttle.fail(keysOf("bob")), delayAfter(6, policy), "the wait after a failure of another member");
  },

  "accepts a success on a delayed exempted key, but not on the other keys": async ({ r }) => {
    await grant(r, "ada");
    await lockOut(r);
    await lockOut(r, user("ada"), 2);
    await failsWith(302, () => r.throttle.pass(keysOf("bob"), ["user:bob"]), "the success of another member");
    await r.throttle.pass(keysOf("ada"), ["user:ada"]);
    await lockOut(r, user("ada"));
    await failsWith(
      302,
      () => r.throttle.pass(keysOf("ada"), ["user:ada"]),
      "a success during the delay of its own key",
    );
    assertAbout((await r.throttle.attempt([place("bob")])).wait, minute, "The wait that no success has cleared");
  },
});

const granted = checksOf("throttle", {
  "grants no exemption with a refused success": async ({ r }) => {
    await lockOut(r);
    await failsWith(302, () => r.throttle.pass(keysOf("ada"), ["user:ada"], granting("ada")), "the success");
    equal(await exempted(r, ["ada"]), [], "the exempted members");
    await r.throttle.pass([user("ada")], ["user:ada"], granting("ada"));
    equal(await exempted(r, ["ada"]), ["ada"], "the exempted members after a later success");
  },

  "ends an exemption after its lifetime, counted from the last grant": async ({ r, advance }) => {
    for (const member of ["ada", "bob"]) await grant(r, member);
    advance(lifetime - hour);
    await grant(r, "bob");
    await lockOut(r);
    equal(await exempted(r, ["ada", "bob"]), ["ada", "bob"], "the exempted members before the first expiry");
    advance(hour + minute);
    await lockOut(r);
    equal(await exempted(r, ["ada", "bob"]), ["bob"], "the exempted members after the first expiry");
    equal(
      await r.throttle.fail([place("ada")]),
      delayAfter(7, policy),
      "the wait of a member with an expired exemption",
    );
    advance(lifetime - 2 * hour - 2 * minute);
    await lockOut(r);
    equal(await exempted(r, ["ada", "bob"]), ["bob"], "the exempted members before the expiry of the last grant");
    advance(hour + minute);
    await lockOut(r);
    equal(await exempted(r, ["ada", "bob"]), [], "the exempted members after the last expiry");
  },

  "grants an expired exemption again": async ({ r, advance }) => {
    await grant(r, "ada");
    advance(lifetime + minute);
    await grant(r, "ada");
    await lockOut(r);
    equal(await exempted(r, ["ada"]), ["ada"], "the exempted members");
  },

  "keeps the most recent exemptions of a group up to its limit": async ({ r, advance }) => {
    const members = ["a", "b", "c", "d", "e"];
    await grant(r, "a", { group: "home" });
    for (const member of members.slice(0, 4)) {
      await grant(r, member, { atMost: 3 });
      advance(exemptionRenewal + minute);
    }
    await grant(r, "b", { atMost: 3 });
    advance(minute);
    await grant(r, "e", { atMost: 3 });
    await lockOut(r);
    await lockOut(r, place("nobody", "home"));
    equal(await exempted(r, members), ["b", "d", "e"], "the exempted members");
    equal(await exempted(r, members, "home"), ["a"], "the exempted members at home");
  },

  "keeps a concurrently granted exemption and restores the group limit with the next grant": async ({ r }) => {
    await concurrently(8, () => grant(r, "ada", { group: "home", atMost: 1 }));
    const members = Array.from({ length: 12 }, (_, index) => `member${index}`);
    await concurrently(12, (index) => grant(r, members[index] ?? "", { atMost: 5 }));
    await grant(r, "last", { atMost: 5 });
    await lockOut(r);
    await lockOut(r, place("nobody", "home"));
    const found = await exempted(r, [...members, "last"]);
    equal(
      [found.length, found.includes("last")],
      [5, true],
      "number of exempted members, and whether the last one is exempted",
    );
    equal(await exempted(r, ["ada"], "home"), ["ada"], "the exempted members at home");
  },

  "sweeps expired exemptions": async ({ r, advance }) => {
    for (const member of ["ada", "bob"]) await grant(r, member);
    await grant(r, "eve", { lifetime: 2 * lifetime });
    equal(await r.throttle.sweep(10), 0, "number of exemptions swept before their expiry");
    advance(lifetime + minute);
    const swept: number[] = [];
    for (const limit of [1, 10, 10]) swept.push(await r.throttle.sweep(limit));
    equal(swept, [1, 1, 0], "numbers of swept exemptions");
    await lockOut(r);
    equal(await exempted(r, ["ada", "bob", "eve"]), ["eve"], "the exempted members");
  },
});

export const exemptionChecks: readonly Check[] = [...whileGood, ...granted];

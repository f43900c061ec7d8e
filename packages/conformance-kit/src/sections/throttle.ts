import { delayAfter, type Repositories, type ThrottleKey, type ThrottlePolicy } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";
import { hour, minute, second } from "../fixtures/policy.ts";

/** The delay is 1, 2, 4 and then 5 minutes, from the third failure on. */
const policy: ThrottlePolicy = { maxFailures: 3, initialDelay: minute, maxDelay: 5 * minute, resetAfter: hour };

const go = { wait: 0, reserved: false };
const reservedAttempt = { wait: 0, reserved: true };

function keyed(key: string, changes: Partial<ThrottlePolicy> = {}): ThrottleKey {
  return { key, policy: { ...policy, ...changes } };
}

/** Records failures for a key until it is delayed. */
async function delay(r: Repositories, key: ThrottleKey, failures: number = policy.maxFailures): Promise<void> {
  for (let index = 0; index < failures; index += 1) await r.throttle.fail([key]);
}

/** Asserts a pending delay. Some of it can have passed, and concurrent calls read the clock at different times. */
function assertAbout(wait: number, expected: number, what: string): void {
  isTrue(
    wait < expected + second && wait > expected - 10 * second,
    `${what} is ${wait} ms instead of about ${expected} ms`,
  );
}

export const throttleChecks: readonly Check[] = checksOf("throttle", {
  "accepts attempts without any failures": async ({ r }) => {
    for (let index = 0; index < 5; index += 1) equal(await r.throttle.attempt([keyed("a")]), go, "the attempt");
  },

  "accepts any number of concurrent attempts during the free failures": async ({ r }) => {
    await delay(r, keyed("a"), 2);
    for (const attempt of await concurrently(8, () => r.throttle.attempt([keyed("a")])))
      equal(attempt, go, "an attempt");
  },

  "returns a delay after a failure that grows up to the maximum": async ({ r }) => {
    for (let failures = 1; failures <= 8; failures += 1) {
      equal(await r.throttle.fail([keyed("a")]), delayAfter(failures, policy), `the wait after failure ${failures}`);
    }
  },

  "delays attempts during a pending delay": async ({ r, advance }) => {
    await delay(r, keyed("a"), 4);
    for (const wait of [2 * minute, minute]) {
      const attempt = await r.throttle.attempt([keyed("a")]);
      assertAbout(attempt.wait, wait, "The wait");
      equal(attempt.reserved, false, "whether the attempt was reserved");
      advance(minute);
    }
  },

  "accepts one attempt after a delay and restarts the delay": async ({ r, advance }) => {
    await delay(r, keyed("a"));
    for (let round = 0; round < 3; round += 1) {
      advance(minute + second);
      equal(await r.throttle.attempt([keyed("a")]), reservedAttempt, "the first attempt");
      assertAbout((await r.throttle.attempt([keyed("a")])).wait, minute, "The wait of the second attempt");
    }
  },

  "accepts one of several concurrent attempts after a delay": async ({ r, advance }) => {
    await delay(r, keyed("a"));
    for (let round = 0; round < 2; round += 1) {
      advance(minute + second);
      const attempts = await concurrently(12, () => r.throttle.attempt([keyed("a")]));
      equal(attempts.filter(({ reserved }) => reserved).length, 1, "number of reserved attempts");
      for (const { wait, reserved } of attempts)
        if (!reserved) assertAbout(wait, minute, "The wait of another attempt");
    }
  },

  "does not count a reserved attempt as a failure": async ({ r, advance }) => {
    await delay(r, keyed("a"));
    for (let round = 0; round < 3; round += 1) {
      advance(minute + second);
      await r.throttle.attempt([keyed("a")]);
    }
    equal(await r.throttle.fail([keyed("a")]), delayAfter(4, policy), "the wait after the next failure");
  },

  "counts every concurrent failure": async ({ r }) => {
    const lenient = keyed("a", { maxFailures: 12, maxDelay: hour });
    await concurrently(12, () => r.throttle.fail([lenient]));
    equal(await r.throttle.fail([lenient]), delayAfter(13, lenient.policy), "the wait after the next failure");
  },

  "counts failures during a delay and restarts the delay": async ({ r, advance }) => {
    await delay(r, keyed("a"), 4);
    advance(minute);
    equal(await r.throttle.fail([keyed("a")]), delayAfter(5, policy), "the wait after the failure");
    assertAbout((await r.throttle.attempt([keyed("a")])).wait, delayAfter(5, policy), "The wait");
  },

  "forgets failures after a period without another": async ({ r, advance }) => {
    const longLived = keyed("a", { maxDelay: 10 * hour, initialDelay: 10 * hour });
    await delay(r, longLived, 5);
    advance(hour + second);
    equal(await r.throttle.attempt([longLived]), go, "the attempt");
    for (const [index, wait] of [0, 0, delayAfter(3, longLived.policy)].entries())
      equal(await r.throttle.fail([longLived]), wait, `the wait after failure ${index + 1}`);
  },

  "keeps failures as long as others follow": async ({ r, advance }) => {
    for (let failures = 1; failures <= 4; failures += 1) {
      equal(await r.throttle.fail([keyed("a")]), delayAfter(failures, policy), `the wait after failure ${failures}`);
      advance(hour - minute);
    }
  },

  "does not keep failures longer because of a reserved attempt": async ({ r, advance }) => {
    await delay(r, keyed("a"));
    advance(hour - minute);
    equal(await r.throttle.attempt([keyed("a")]), reservedAttempt, "the attempt before the failures are forgotten");
    advance(2 * minute);
    equal(await r.throttle.attempt([keyed("a")]), go, "the attempt after the failures are forgotten");
    equal(await r.throttle.fail([keyed("a")]), 0, "the wait after a failure");
  },

  "clears the failures of exactly the keys named by a success": async ({ r }) => {
    for (const key of ["a", "b", "c"]) await delay(r, keyed(key));
    await r.throttle.pass([keyed("d")], ["a", "b", "unknown"]);
    await r.throttle.pass([], []);
    equal(await r.throttle.attempt([keyed("a"), keyed("b")]), go, "the attempt on the cleared keys");
    equal(await r.throttle.fail([keyed("a")]), 0, "the wait after a failure on a cleared key");
    assertAbout((await r.throttle.attempt([keyed("c")])).wait, minute, "The wait of the other key");
  },

  "clears nothing with a success during the delay of a key": async ({ r, advance }) => {
    await delay(r, keyed("a"), 3);
    await delay(r, keyed("b"), 4);
    for (const keys of [[keyed("a")], [keyed("c"), keyed("a")]]) {
      await failsWith(302, () => r.throttle.pass(keys, ["a", "b"]), "the success");
    }
    assertAbout((await r.throttle.attempt([keyed("b")])).wait, 2 * minute, "The wait of the key that is not cleared");
    advance(minute + second);
    await r.throttle.pass([keyed("a")], ["a", "b"]);
    equal(await r.throttle.attempt([keyed("b")]), go, "the attempt on the key without a delay");
  },

  "sweeps forgotten failures up to the limit, and nothing else": async ({ r, advance }) => {
    for (const key of ["a", "b", "c"]) await delay(r, keyed(key));
    const longer = keyed("longer", { resetAfter: 3 * hour });
    await delay(r, longer);
    equal(await r.throttle.sweep(10), 0, "number of entries swept too early");
    advance(hour + second);
    const swept: number[] = [];
    for (const limit of [0, 2, 2, 2]) swept.push(await r.throttle.sweep(limit));
    equal(swept, [0, 2, 1, 0], "numbers of swept entries");
    equal(await r.throttle.fail([longer]), delayAfter(4, policy), "the wait after a failure on a key with failures");
    equal(await r.throttle.fail([keyed("a")]), 0, "the wait after a failure on a swept key");
  },

  "is disabled by a policy without free failures": async ({ r }) => {
    const off = keyed("a", { maxFailures: 0 });
    for (let index = 0; index < 5; index += 1) equal(await r.throttle.fail([off]), 0, "the wait after a failure");
    equal(await concurrently(4, () => r.throttle.attempt([off])), [go, go, go, go], "the attempts");
    await delay(r, keyed("b"), 6);
    equal(
      await r.throttle.attempt([{ ...off, key: "b" }]),
      go,
      "the attempt on a key that failed under another policy",
    );
  },

  "accepts any text of up to 100 characters as a key": async ({ r }) => {
    const keys = [...hostileTexts, "x".repeat(100), "ü".repeat(100), "A", "a", "a "];
    for (const [index, key] of keys.entries()) await delay(r, keyed(key), 3 + (index % 2));
    for (const [index, key] of keys.entries()) {
      const { wait } = await r.throttle.attempt([keyed(key)]);
      assertAbout(wait, delayAfter(3 + (index % 2), policy), `The wait of ${JSON.stringify(key)}`);
    }
  },

  "accepts an attempt and a failure without keys": async ({ r }) => {
    equal(await r.throttle.attempt([]), go, "the attempt");
    equal(await r.throttle.fail([]), 0, "the wait after a failure");
  },

  "returns the longest wait of several keys": async ({ r }) => {
    await delay(r, keyed("a"), 3);
    await delay(r, keyed("b"), 5);
    assertAbout((await r.throttle.attempt([keyed("a"), keyed("b"), keyed("c")])).wait, 4 * minute, "The wait");
  },

  "counts a failure on every key by the policy of the key": async ({ r }) => {
    const strict = keyed("a", { maxFailures: 1, initialDelay: 10 * second });
    const mild = keyed("b", { maxFailures: 5, initialDelay: 4 * minute });
    for (let failures = 1; failures <= 6; failures += 1) {
      const longest = Math.max(delayAfter(failures, strict.policy), delayAfter(failures, mild.policy));
      equal(await r.throttle.fail([strict, mild]), longest, `the wait after failure ${failures}`);
    }
  },

  "reserves no key if one of several keys is delayed": async ({ r, advance }) => {
    await delay(r, keyed("over"));
    advance(minute + second);
    await delay(r, keyed("pending"), 5);
    const keys = [keyed("over"), keyed("pending")];
    for (const order of [keys, keys.toReversed()]) {
      const { wait, reserved } = await r.throttle.attempt(order);
      assertAbout(wait, 4 * minute, "The wait of the attempt");
      equal(reserved, false, "whether the attempt was reserved");
    }
    equal(await r.throttle.attempt([keyed("over")]), reservedAttempt, "the attempt on the key with an expired delay");
  },

  "reserves every key with an expired delay": async ({ r, advance }) => {
    await delay(r, keyed("a"));
    await delay(r, keyed("b"));
    advance(minute + second);
    equal(await r.throttle.attempt([keyed("a"), keyed("fresh"), keyed("b")]), reservedAttempt, "the attempt");
    for (const key of ["a", "b"])
      assertAbout((await r.throttle.attempt([keyed(key)])).wait, minute, `The wait of ${key}`);
    equal(await r.throttle.attempt([keyed("fresh")]), go, "the attempt on the key without failures");
  },

  "accepts one of several concurrent attempts with a shared key": async ({ r, advance }) => {
    await delay(r, keyed("shared"));
    advance(minute + second);
    const attempts = await concurrently(10, (index) => r.throttle.attempt([keyed(`own ${index}`), keyed("shared")]));
    equal(attempts.filter(({ wait }) => wait === 0).length, 1, "number of accepted attempts");
  },

  "never deadlocks when concurrent attempts name keys in different orders": async ({ r, advance }) => {
    const keys = ["a", "b", "c", "d"].map((key) => keyed(key, { maxFailures: 20 }));
    await concurrently(16, (index) => r.throttle.fail(index % 2 === 0 ? keys : keys.toReversed()));
    await delay(r, keys[0] as ThrottleKey, 4);
    advance(hour - minute);
    const attempts = await concurrently(8, (index) => r.throttle.attempt(index % 2 === 0 ? keys : keys.toReversed()));
    equal(attempts.filter(({ wait }) => wait === 0).length, 1, "number of accepted attempts");
    await Promise.all([r.throttle.pass([], ["a", "b", "c", "d"]), r.throttle.pass([], ["d", "c", "b", "a"])]);
    equal(await r.throttle.attempt(keys), go, "the attempt after all keys are cleared");
  },
});

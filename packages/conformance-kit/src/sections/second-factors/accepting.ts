import { equal } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { factorOf } from "../../fixtures/factor-of.ts";
import { freshDigest } from "../../fixtures/fresh-digest.ts";
import { occurrences } from "../../fixtures/occurrences.ts";

export const factorAcceptingChecks: readonly Check[] = checksOf("second factors", {
  "accept a step that is later than the last one, and are confirmed by it": async ({ r }) => {
    const factor = factorOf("user:3");
    equal(await r.secondFactors.accept(factor, 0), false, "a step of what is not there");
    await r.secondFactors.enrol(factor);
    equal(await r.secondFactors.accept(factor, 0), true, "the first step");
    const steps = [
      [0, false],
      [59_000_000, true],
      [59_000_000, false],
      [58_999_999, false],
      [59_000_001, true],
      [9_007_199_254_740_991, true],
    ] as const;
    for (const [step, accepted] of steps) equal(await r.secondFactors.accept(factor, step), accepted, `step ${step}`);
    const [known] = await r.secondFactors.find("user:3", ["field"]);
    equal([known?.confirmed, known?.lastStep], [true, 9_007_199_254_740_991], "what is known of it");
  },

  "accept nothing for another secret, another app name or somebody else": async ({ r }) => {
    await r.secondFactors.enrol(factorOf("user:3"));
    await r.secondFactors.enrol(factorOf("user:4", { appName: "office" }));
    const factor = factorOf("user:3");
    const others = [
      { ...factor, sealedSecret: "another" },
      { ...factor, sealedSecret: factor.sealedSecret.toUpperCase() },
      ...["Field", "office", "field "].map((appName) => ({ ...factor, appName })),
      ...["user:4", "USER:3", "user:33", "user:"].map((subject) => ({ ...factor, subject })),
    ];
    for (const other of others)
      equal(await r.secondFactors.accept(other, 7), false, `the step for ${JSON.stringify(other)}`);
    const known = [
      ...(await r.secondFactors.find("user:3", ["field"])),
      ...(await r.secondFactors.find("user:4", ["office"])),
    ];
    equal(
      known.map(({ confirmed, lastStep }) => [confirmed, lastStep]),
      [
        [false, -1],
        [false, -1],
      ],
      "what is known of them",
    );
  },

  "accept a step for one of those who show it at once": async ({ r }) => {
    const factor = factorOf("user:3");
    await r.secondFactors.enrol(factor);
    for (const step of [5, 6]) {
      const outcomes = await atOnce(20, () => r.secondFactors.accept(factor, step));
      equal(
        [occurrences(true, outcomes), occurrences(false, outcomes)],
        [1, 19],
        `how many showed step ${step} and were accepted, or not`,
      );
    }
  },

  "accept a step for one of the transactions that show it at once, and for none that fails": async ({ storage, r }) => {
    const factor = factorOf("user:3");
    await r.secondFactors.enrol(factor);
    const failing = storage.transaction(async (inside) => {
      equal(await inside.secondFactors.accept(factor, 5), true, "a step in a transaction");
      throw new Error("changed its mind");
    });
    equal(
      await failing.catch((error: unknown) => (error as Error).message),
      "changed its mind",
      "why the transaction failed",
    );
    const outcomes = await atOnce(8, () => storage.transaction((inside) => inside.secondFactors.accept(factor, 5)));
    equal([occurrences(true, outcomes), occurrences(false, outcomes)], [1, 7], "how many were accepted, or not");
  },

  "spend a recovery code once, and leave the others": async ({ r }) => {
    const [one, other, foreign] = [freshDigest(), freshDigest(), freshDigest()];
    const factor = factorOf("user:3", { recoveryCodes: [one, other] });
    await r.secondFactors.enrol(factor);
    await r.secondFactors.enrol(factorOf("user:4", { recoveryCodes: [foreign] }));
    equal(await r.secondFactors.recover(factor, one), false, "a code of what is not confirmed");
    for (const [step, each] of [factor, factorOf("user:4")].entries()) await r.secondFactors.accept(each, step);
    for (const code of [foreign, freshDigest(), one.toUpperCase(), "", "%"])
      equal(await r.secondFactors.recover(factor, code), false, `the code ${code}`);
    equal(await r.secondFactors.recover({ ...factor, appName: "office" }, one), false, "a code for another app name");
    equal(await r.secondFactors.recover(factor, one), true, "one of the codes");
    equal(await r.secondFactors.recover(factor, one), false, "the same again");
    const [known] = await r.secondFactors.find("user:3", ["field"]);
    equal([known?.recoveryCodes, known?.lastStep], [[other], 0], "what is left");
    equal(await r.secondFactors.recover(factor, other), true, "the other code");
    equal((await r.secondFactors.find("user:3", ["field"]))[0]?.recoveryCodes, [], "what is left after that");
  },

  "spend a recovery code for one of those who show it at once": async ({ r }) => {
    const codes = Array.from({ length: 4 }, freshDigest);
    const factor = factorOf("user:3", { recoveryCodes: codes });
    await r.secondFactors.enrol(factor);
    await r.secondFactors.accept(factor, 1);
    const outcomes = await atOnce(20, (index) => r.secondFactors.recover(factor, codes[index % 2] ?? ""));
    equal(occurrences(true, outcomes), 2, "how many of two codes were accepted");
    equal((await r.secondFactors.find("user:3", ["field"]))[0]?.recoveryCodes, codes.slice(2), "what is left");
  },
});

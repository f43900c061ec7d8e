import type { NewSecondFactor } from "@sallyport/core";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { factorOf } from "../../fixtures/factor-of.ts";
import { freshDigest } from "../../fixtures/fresh-digest.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { occurrences } from "../../fixtures/occurrences.ts";

const begun = (factor: NewSecondFactor) => ({ ...factor, confirmed: false, lastStep: -1 });

export const factorKeepingChecks: readonly Check[] = checksOf("second factors", {
  "are kept as they were begun, each for its subject and app name": async ({ r }) => {
    equal(await r.secondFactors.find("user:3", ["field"]), [], "a factor of nobody");
    const factor = factorOf("user:3", { recoveryCodes: [freshDigest(), freshDigest()], sealedSecret: "s".repeat(400) });
    const second = factorOf("user:3", { appName: "Field" });
    const foreign = factorOf("user:33");
    for (const each of [factor, second, foreign]) equal(await r.secondFactors.enrol(each), "enrolled", "the outcome");
    equal(await r.secondFactors.find("user:3", ["nobody", "field", "field"]), [begun(factor)], "one of two");
    equal(await r.secondFactors.find("user:3", ["field", "Field"]), [begun(second), begun(factor)], "both");
    equal(await r.secondFactors.find("user:3", []), [], "none");
    for (const subject of ["user:333", "USER:3", "user:3 ", "user:", ""])
      equal(await r.secondFactors.find(subject, ["field"]), [], `those of ${subject}`);
  },

  "begin anew until they are confirmed, and then no more": async ({ r }) => {
    const [first, second, third] = ["one", "two", "three"].map((sealedSecret) =>
      factorOf("user:3", { sealedSecret, recoveryCodes: [freshDigest()] }),
    ) as [NewSecondFactor, NewSecondFactor, NewSecondFactor];
    equal(await r.secondFactors.enrol(first), "enrolled", "the first beginning");
    equal(await r.secondFactors.enrol(second), "enrolled", "the second");
    equal(await r.secondFactors.find("user:3", ["field"]), [begun(second)], "what there is");
    equal(await r.secondFactors.accept(first, 1), false, "a step of the first secret");
    equal(await r.secondFactors.accept(second, 2), true, "a step of the second");
    equal(await r.secondFactors.enrol(third), "confirmed", "the third beginning");
    equal(
      await r.secondFactors.find("user:3", ["field"]),
      [{ ...second, confirmed: true, lastStep: 2 }],
      "what there is after that",
    );
    equal(await r.secondFactors.enrol({ ...third, appName: "office" }), "enrolled", "a beginning for another app name");
  },

  "are begun, or confirmed already, for those who come at once": async ({ r }) => {
    const secrets = Array.from({ length: 8 }, (_, index) => factorOf("user:3", { sealedSecret: `secret ${index}` }));
    const outcomes = await atOnce(8, (index) => r.secondFactors.enrol(secrets[index] as NewSecondFactor));
    equal(occurrences("enrolled", outcomes), 8, "how many began");
    const accepted = await atOnce(8, (index) => r.secondFactors.accept(secrets[index] as NewSecondFactor, 1));
    equal(occurrences(true, accepted), 1, "of how many secrets a step is accepted");
    const late = await atOnce(8, (index) =>
      r.secondFactors.enrol({ ...(secrets[index] as NewSecondFactor), sealedSecret: `late ${index}` }),
    );
    equal(occurrences("confirmed", late), 8, "how many found it confirmed");
    equal(
      (await r.secondFactors.find("user:3", ["field"]))[0]?.sealedSecret,
      `secret ${accepted.indexOf(true)}`,
      "the secret",
    );
  },

  "are removed one by one, or all of a subject": async ({ r }) => {
    for (const subject of ["user:3", "user:4"])
      for (const appName of ["field", "Field", "office"]) await r.secondFactors.enrol(factorOf(subject, { appName }));
    equal(await r.secondFactors.remove("user:3", "nobody"), false, "removing what is not there");
    equal(await r.secondFactors.remove("user:3", "field"), true, "removing one");
    equal(await r.secondFactors.remove("user:3", "field"), false, "removing it again");
    const left = async () => (await r.secondFactors.list(null, 10)).map(({ subject, appName }) => [subject, appName]);
    const ofOther = [
      ["user:4", "Field"],
      ["user:4", "field"],
      ["user:4", "office"],
    ];
    equal(await left(), [["user:3", "Field"], ["user:3", "office"], ...ofOther], "what is left");
    equal(await r.secondFactors.remove("user:3", null), true, "removing all");
    equal(await r.secondFactors.remove("user:3", null), false, "removing all again");
    equal(await left(), ofOther, "what is left after that");
    equal(await r.secondFactors.enrol(factorOf("user:3")), "enrolled", "beginning anew");
  },

  "are listed by subject and app name in the order of code points, part by part": async ({ r }) => {
    equal(await r.secondFactors.list(null, 10), [], "the list of an empty database");
    const keys = [
      ["custom:a", "z"],
      ["user:1", "B"],
      ["user:1", "a"],
      ["user:1", "a "],
      ["user:1", "é"],
      ["user:1", "\uffff"],
      ["user:1", "\u{10000}"],
      ["user:10", "a"],
      ["user:2", "a"],
    ];
    const factors = keys.map(([subject = "", appName = ""]) => factorOf(subject, { appName }));
    for (const index of [5, 0, 8, 3, 6, 2, 7, 4, 1]) await r.secondFactors.enrol(factors[index] as NewSecondFactor);
    const expected = factors.map(begun);
    equal(await r.secondFactors.list(null, 100), expected, "the whole list");
    equal(await r.secondFactors.list(null, 2), expected.slice(0, 2), "the first part");
    equal(
      await r.secondFactors.list({ subject: "user:1", appName: "a" }, 4),
      expected.slice(3, 7),
      "a part in the middle",
    );
    equal(
      await r.secondFactors.list({ subject: "user:1", appName: "b" }, 1),
      expected.slice(4, 5),
      "what comes after one that does not exist",
    );
    equal(await r.secondFactors.list({ subject: "user:2", appName: "a" }, 10), [], "what comes after the last one");
    equal(
      await r.secondFactors.find("user:1", ["\u{10000}", "é", "a", "\uffff", "B"]),
      [1, 2, 4, 5, 6].map((index) => expected[index]) as never,
      "those of one subject",
    );
  },

  "take hostile texts for what they are, and refuse what cannot be stored": async ({ r }) => {
    for (const text of hostileTexts) {
      const factor = factorOf("user:3", { appName: text, sealedSecret: text });
      equal(await r.secondFactors.enrol(factor), "enrolled", "the outcome");
      equal(await r.secondFactors.find("user:3", [text]), [begun(factor)], "the factor");
      equal(await r.secondFactors.accept(factor, 1), true, "a step");
      equal(await r.secondFactors.recover(factor, text), false, "a recovery code");
      equal(await r.secondFactors.remove("user:3", text), true, "the removal");
    }
    for (const text of unstorableTexts) {
      for (const given of [{ subject: text }, { appName: text }, { sealedSecret: text }]) {
        const factor = { ...factorOf("user:3"), ...given };
        await failsWith(307, () => r.secondFactors.enrol(factor), `a factor with ${JSON.stringify(given)}`);
        equal(await r.secondFactors.accept(factor, 1), false, "a step of it");
      }
      equal(await r.secondFactors.find(text, [text]), [], "those of such a subject");
      equal(await r.secondFactors.find("user:3", [text]), [], "those for such a name");
      equal(
        [await r.secondFactors.remove(text, null), await r.secondFactors.remove("user:3", text)],
        [false, false],
        "the removal of such",
      );
      equal(await r.secondFactors.recover(factorOf("user:3"), text), false, "such a recovery code");
    }
    equal(await r.secondFactors.list(null, 10), [], "what there is");
  },
});

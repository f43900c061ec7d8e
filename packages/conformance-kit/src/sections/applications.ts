import { equal, equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { occurrences } from "../fixtures/occurrences.ts";
import { orderedNames, shuffledNames } from "../fixtures/ordered-names.ts";

export const applicationChecks: readonly Check[] = checksOf("applications", {
  "knows the app names that were created": async ({ r }) => {
    equal(await r.applications.create({ name: "field", seats: null }), "created", "creating an application");
    equal(await r.applications.create({ name: "office", seats: 5 }), "created", "creating an application with seats");
    equal(
      await r.applications.create({ name: "empty", seats: 0 }),
      "created",
      "creating an application without a seat",
    );
    equalInAnyOrder(
      await r.applications.known(["office", "field", "nobody", "empty"]),
      ["empty", "field", "office"],
      "known names",
    );
  },

  "names each app name once, however often it is asked for": async ({ r }) => {
    await r.applications.create({ name: "field", seats: null });
    equal(await r.applications.known(["field", "nobody", "field", "field"]), ["field"], "known names");
  },

  "knows nothing when it is asked for nothing": async ({ r }) => {
    await r.applications.create({ name: "field", seats: null });
    equal(await r.applications.known([]), [], "known names");
  },

  "compares app names exactly": async ({ r }) => {
    await r.applications.create({ name: "field", seats: null });
    equal(
      await r.applications.known(["Field", "FIELD", "field ", " field", "fi%", "f_eld", "", "\ufb01eld"]),
      [],
      "known names",
    );
    equal(await r.applications.create({ name: "Field", seats: null }), "created", "creating a name in another case");
  },

  "refuses a name that is taken": async ({ r }) => {
    await r.applications.create({ name: "field", seats: 1 });
    equal(await r.applications.create({ name: "field", seats: 2 }), "nameTaken", "the same name again");
    equal(await r.applications.known(["field"]), ["field"], "known names");
  },

  "creates a name once when it is wanted several times at once": async ({ r }) => {
    const outcomes = await atOnce(8, () => r.applications.create({ name: "field", seats: null }));
    equal(occurrences("created", outcomes), 1, "how many were created");
    equal(occurrences("nameTaken", outcomes), 7, "how many were refused");
  },

  "lists app names with their seats by code points, part by part": async ({ r }) => {
    equal(await r.applications.list(null, 10), [], "the list of an empty database");
    for (const [seats, name] of shuffledNames.entries())
      await r.applications.create({ name, seats: seats === 0 ? null : seats });
    const seatsOf = (name: string) => shuffledNames.indexOf(name) || null;
    const expected = orderedNames.map((name) => ({ name, seats: seatsOf(name), secondFactor: "off" as const }));
    equal(await r.applications.list(null, 100), expected, "the whole list");
    equal(await r.applications.list(null, 4), expected.slice(0, 4), "the first part");
    equal(await r.applications.list("a", 3), expected.slice(4, 7), "a part in the middle");
    equal(await r.applications.list("a-", 100), expected.slice(5), "what comes after a name that does not exist");
    equal(await r.applications.list(orderedNames.at(-1) as string, 100), [], "what comes after the last name");
  },

  "names those that ask for second factors, as they were created or set last": async ({ r }) => {
    await r.applications.create({ name: "plain", seats: null });
    await r.applications.create({ name: "optional", seats: 1, secondFactor: "optional" });
    await r.applications.create({ name: "forced", seats: null, secondFactor: "forced" });
    const names = ["forced", "plain", "nobody", "optional", "forced"];
    const asking = [
      { name: "forced", secondFactor: "forced" },
      { name: "optional", secondFactor: "optional" },
    ] as const;
    equalInAnyOrder(await r.applications.askingForFactors(names), asking, "those that ask");
    equal(await r.applications.askingForFactors(["plain"]), [], "those of one that does not");
    equal(await r.applications.askingForFactors([]), [], "those of none");
    equal(await r.applications.setSecondFactor("forced", "off"), true, "setting a rule");
    equal(await r.applications.setSecondFactor("plain", "optional"), true, "setting another");
    equal(await r.applications.setSecondFactor("plain", "optional"), true, "setting the same again");
    equal(
      await r.applications.setSecondFactor("Plain", "forced"),
      false,
      "setting the rule of a name that nobody created",
    );
    const changed = [
      { name: "optional", secondFactor: "optional" },
      { name: "plain", secondFactor: "optional" },
    ] as const;
    equalInAnyOrder(await r.applications.askingForFactors(names), changed, "those that ask after that");
    const listed = [
      { name: "forced", seats: null, secondFactor: "off" },
      { name: "optional", seats: 1, secondFactor: "optional" },
      { name: "plain", seats: null, secondFactor: "optional" },
    ] as const;
    equal(await r.applications.list(null, 10), listed, "the list");
  },

  "takes hostile texts for the names that they are": async ({ r }) => {
    equal(await r.applications.known([...hostileTexts, ...unstorableTexts]), [], "known names");
    for (const name of hostileTexts) await r.applications.create({ name, seats: null });
    equalInAnyOrder(await r.applications.known([...hostileTexts, ...unstorableTexts]), hostileTexts, "known names");
    equalInAnyOrder(
      (await r.applications.list(null, 100)).map(({ name }) => name),
      hostileTexts,
      "listed names",
    );
    equal(
      await r.applications.askingForFactors([...hostileTexts, ...unstorableTexts]),
      [],
      "those that ask for second factors",
    );
    for (const name of unstorableTexts)
      equal(await r.applications.setSecondFactor(name, "forced"), false, "a rule for a text that cannot be stored");
  },
});

import { equal, equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { occurrences } from "../fixtures/occurrences.ts";

export const applicationChecks: readonly Check[] = checksOf("applications", {
  "knows the app names that were created": async ({ r }) => {
    equal(await r.applications.create({ name: "field", seats: null }), "created", "creating an application");
    equal(await r.applications.create({ name: "office", seats: 5 }), "created", "creating an application with seats");
    equal(await r.applications.create({ name: "empty", seats: 0 }), "created", "creating an application without a seat");
    equalInAnyOrder(await r.applications.known(["office", "field", "nobody", "empty"]), ["empty", "field", "office"], "known names");
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
    equal(await r.applications.known(["Field", "FIELD", "field ", " field", "fi%", "f_eld", "", "\ufb01eld"]), [], "known names");
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

  "takes hostile texts for the names that they are": async ({ r }) => {
    equal(await r.applications.known([...hostileTexts, ...unstorableTexts]), [], "known names");
    for (const name of hostileTexts) await r.applications.create({ name, seats: null });
    equalInAnyOrder(await r.applications.known([...hostileTexts, ...unstorableTexts]), hostileTexts, "known names");
  },
});

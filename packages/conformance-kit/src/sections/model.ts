import { builtInClasses, type ClassDefinition, seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { occurrences } from "../fixtures/occurrences.ts";

const ticket: ClassDefinition = {
  name: "Ticket",
  base: null,
  attributes: [{ name: "Title", type: "string", mandatory: true, indexed: true }],
  rights: [{ group: "*", permissions: ["read"] }],
};

export const modelChecks: readonly Check[] = checksOf("model", {
  "starts with the built-in classes": async ({ r }) => {
    const { generation, classes } = await r.model.load();
    holds(Number.isSafeInteger(generation) && generation > 0, "The first generation is a positive whole number");
    equalInAnyOrder(classes, builtInClasses, "the classes");
  },

  "adds a class and leaves the others alone": async ({ r }) => {
    const { generation } = await r.model.load();
    equal(await r.model.change({ put: [ticket] }, generation), "ok", "changing the model");
    const changed = await r.model.load();
    holds(changed.generation > generation, "A changed model has a higher generation");
    equalInAnyOrder(changed.classes, [...builtInClasses, ticket], "the classes");
  },

  "replaces a class whole": async ({ r }) => {
    const { generation } = await r.model.load();
    await r.model.change({ put: [ticket] }, generation);
    const added = await r.model.load();
    const bare: ClassDefinition = { name: "Ticket", base: "User", attributes: [], rights: [] };
    equal(await r.model.change({ put: [bare] }, added.generation), "ok", "changing the model");
    equalInAnyOrder((await r.model.load()).classes, [...builtInClasses, bare], "the classes");
  },

  "takes several classes in one change": async ({ r }) => {
    const { generation } = await r.model.load();
    const put = ["One", "Two", "Three"].map((name) => ({ ...ticket, name }));
    equal(await r.model.change({ put }, generation), "ok", "changing the model");
    equalInAnyOrder((await r.model.load()).classes, [...builtInClasses, ...put], "the classes");
  },

  "keeps definitions as they are, in the order of their attributes": async ({ r }) => {
    const { generation } = await r.model.load();
    const rich: ClassDefinition = {
      name: "Rich_Class9",
      base: "User",
      attributes: [
        { name: "zz", type: "string", mandatory: true },
        { name: "aa", type: "number", mandatory: false, indexed: true },
        { name: "On", type: "boolean" },
        { name: "At", type: "date", indexed: false },
        { name: "Any", type: "json" },
        { name: "Content", type: "file" },
        { name: "Boss", type: "reference", target: "User" },
        { name: "Team", type: "collection", target: "User" },
        { name: "constructor", type: "string" },
      ],
      rights: [
        { group: "*", permissions: ["read"] },
        { group: "A1", permissions: ["read", "create", "write", "delete"] },
        { group: "B2", permissions: [] },
      ],
    };
    await r.model.change({ put: [rich] }, generation);
    equal((await r.model.load()).classes.find(({ name }) => name === rich.name), rich, "the class");
  },

  "tells names apart that differ by case": async ({ r }) => {
    const { generation } = await r.model.load();
    const put = ["Ticket", "ticket", "tickeT"].map((name) => ({ ...ticket, name }));
    await r.model.change({ put }, generation);
    equalInAnyOrder((await r.model.load()).classes, [...builtInClasses, ...put], "the classes");
  },

  "refuses a change of another generation than the current one": async ({ r }) => {
    const { generation } = await r.model.load();
    await r.model.change({ put: [] }, generation);
    const before = await r.model.load();
    for (const expected of [generation, before.generation + 1, 0]) {
      equal(await r.model.change({ put: [ticket] }, expected), "stale", `changing generation ${expected}`);
    }
    const after = await r.model.load();
    equal(after.generation, before.generation, "the generation");
    equalInAnyOrder(after.classes, before.classes, "the classes");
  },

  "lets one of those win who change one generation at once": async ({ r }) => {
    const { generation } = await r.model.load();
    const outcomes = await atOnce(10, (index) => r.model.change({ put: [{ ...ticket, name: `Ticket${index}` }] }, generation));
    equal(occurrences("ok", outcomes), 1, "how many changed the model");
    equal(occurrences("stale", outcomes), 9, "how many were stale");
    const winner = { ...ticket, name: `Ticket${outcomes.indexOf("ok")}` };
    equalInAnyOrder((await r.model.load()).classes, [...builtInClasses, winner], "the classes");
  },

  "is not reset by another migration": async ({ storage, r }) => {
    const { generation } = await r.model.load();
    const user: ClassDefinition = { ...ticket, name: "User" };
    await r.model.change({ put: [user] }, generation);
    const before = await r.model.load();
    await storage.migrate();
    const after = await r.model.load();
    equal(after.generation, before.generation, "the generation");
    equalInAnyOrder(after.classes, before.classes, "the classes");
  },

  "leaves the objects of a changed class alone": async ({ r }) => {
    const [object] = await r.objects.insert([{ className: "File", attributes: { Name: "plan", Old: 1 } }]);
    const { generation } = await r.model.load();
    await r.model.change({ put: [{ ...ticket, name: "File" }] }, generation);
    equal(await r.objects.get([object?.id ?? ""], seesAll), [object], "the object");
  },
});

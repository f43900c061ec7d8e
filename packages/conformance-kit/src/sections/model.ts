import { builtInClasses, type ClassDefinition, type Repositories, seesAll, type Storage } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce, occurrences } from "../fixtures/at-once.ts";
import { changeOf } from "../fixtures/changes-up-to.ts";
import { createObject } from "../fixtures/objects.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";

const ticket: ClassDefinition = {
  name: "Ticket",
  base: null,
  attributes: [{ name: "Title", type: "string", mandatory: true, indexed: true }],
  rights: [{ group: "*", permissions: ["read"] }],
};

/** Holds the model in a transaction that does something for a while, and this at its end; resolves once it is held. */
async function holdModel(
  storage: Storage,
  atTheEnd: (inside: Repositories) => Promise<void>,
): Promise<{ readonly ended: Promise<void> }> {
  let tell = () => {};
  const held = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const ended = storage.transaction(async (inside) => {
    await inside.model.hold();
    tell();
    for (let turn = 0; turn < 50; turn += 1) await inside.audit.read(0, 1);
    await atTheEnd(inside);
  });
  await Promise.race([held, ended]);
  return { ended };
}

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
    equal(changed.generation, generation + 1, "the generation");
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
    equal(
      (await r.model.load()).classes.find(({ name }) => name === rich.name),
      rich,
      "the class",
    );
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
    const outcomes = await atOnce(10, (index) =>
      r.model.change({ put: [{ ...ticket, name: `Ticket${index}` }] }, generation),
    );
    equal(occurrences("ok", outcomes), 1, "how many changed the model");
    equal(occurrences("stale", outcomes), 9, "how many were stale");
    const winner = { ...ticket, name: `Ticket${outcomes.indexOf("ok")}` };
    equalInAnyOrder((await r.model.load()).classes, [...builtInClasses, winner], "the classes");
  },

  "takes classes away, and nothing else with them": async ({ r }) => {
    const [file] = await r.objects.insert([{ className: "File", attributes: { Name: "plan" } }]);
    const { generation } = await r.model.load();
    const put = ["One", "Two", "Three"].map((name) => ({ ...ticket, name }));
    await r.model.change({ put }, generation);
    const added = await r.model.load();
    equal(
      await r.model.change({ put: [], removed: ["One", "File", "Three"] }, added.generation),
      "ok",
      "changing the model",
    );
    const changed = await r.model.load();
    equal(changed.generation, added.generation + 1, "the generation");
    equalInAnyOrder(changed.classes, [...builtInClasses.filter(({ name }) => name !== "File"), put[1]], "the classes");
    equal(await r.objects.get([file?.id ?? ""], seesAll), [file], "the object of a class that is gone");
  },

  "puts and takes away in one change": async ({ r }) => {
    const { generation } = await r.model.load();
    await r.model.change({ put: [{ ...ticket, name: "Old" }] }, generation);
    const before = await r.model.load();
    equal(await r.model.change({ put: [ticket], removed: ["Old"] }, before.generation), "ok", "changing the model");
    equalInAnyOrder((await r.model.load()).classes, [...builtInClasses, ticket], "the classes");
  },

  "has nothing to take away under a name that no class has": async ({ r }) => {
    const { generation } = await r.model.load();
    equal(
      await r.model.change({ put: [], removed: ["Nobody", "user", "", ...hostileTexts] }, generation),
      "ok",
      "changing the model",
    );
    equalInAnyOrder((await r.model.load()).classes, builtInClasses, "the classes");
  },

  "keeps what a change of another generation would take away": async ({ r }) => {
    const { generation } = await r.model.load();
    equal(await r.model.change({ put: [], removed: ["File"] }, generation + 1), "stale", "changing the model");
    equalInAnyOrder((await r.model.load()).classes, builtInClasses, "the classes");
  },

  "is held by one transaction at a time, which sees what those before it have left": async ({ storage, r }) => {
    let holders = 0;
    const outcomes = await atOnce(6, (index) =>
      storage.transaction(async (inside) => {
        await inside.model.hold();
        holders += 1;
        try {
          const { generation } = await inside.model.load();
          for (let turn = 0; turn < 10; turn += 1) await inside.audit.read(0, 1);
          equal(holders, 1, "how many hold the model");
          return await inside.model.change({ put: [{ ...ticket, name: `Ticket${index}` }] }, generation);
        } finally {
          holders -= 1;
        }
      }),
    );
    equal(occurrences("ok", outcomes), 6, "how many changed the model");
    equal((await r.model.load()).classes.length, builtInClasses.length + 6, "how many classes there are");
  },

  "is not changed by anybody else while a transaction holds it": async ({ storage, r }) => {
    const { generation } = await r.model.load();
    const events: string[] = [];
    const holding = await holdModel(storage, async (inside) => {
      equal((await inside.model.load()).generation, generation, "the generation");
      events.push("let go");
    });
    const changing = r.model.change({ put: [ticket] }, generation).then((outcome) => events.push(outcome));
    await Promise.all([holding.ended, changing]);
    equal(events, ["let go", "ok"], "the order of events");
  },

  "keeps writers waiting while a transaction holds it": async ({ storage, r }) => {
    const object = await createObject(r);
    const events: string[] = [];
    const holding = await holdModel(storage, async () => {
      events.push("let go");
    });
    const creating = r.objects.insert([{ className: "File", attributes: {} }]).then(() => events.push("written"));
    const changing = r.objects
      .update([changeOf(object.id, { Name: "other" })], { session: null })
      .then(() => events.push("written"));
    await Promise.all([holding.ended, creating, changing]);
    equal(events, ["let go", "written", "written"], "the order of events");
  },

  "waits to be held for those who write": async ({ storage, r }) => {
    const events: string[] = [];
    let tell = () => {};
    const written = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const writing = storage.transaction(async (inside) => {
      await inside.objects.insert([{ className: "File", attributes: {} }]);
      tell();
      for (let turn = 0; turn < 50; turn += 1) await inside.audit.read(0, 1);
      events.push("written");
    });
    await Promise.race([written, writing]);
    const holding = storage.transaction(async (inside) => {
      await inside.model.hold();
      events.push(`held with ${await inside.objects.count({ classes: ["File"] }, seesAll)}`);
    });
    await Promise.all([writing, holding]);
    equal(events, ["written", "held with 1"], "the order of events");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 1, "how many objects there are");
  },

  "can be held and changed again by the transaction that holds it": async ({ storage, r }) => {
    await storage.transaction(async (inside) => {
      for (const name of ["One", "Two"]) {
        await inside.model.hold();
        const { generation } = await inside.model.load();
        equal(await inside.model.change({ put: [{ ...ticket, name }] }, generation), "ok", "changing the model");
      }
    });
    equal((await r.model.load()).classes.length, builtInClasses.length + 2, "how many classes there are");
  },

  "is free again when a transaction that held it has failed": async ({ storage, r }) => {
    const failing = storage.transaction(async (inside) => {
      await inside.model.hold();
      throw new Error("taken back");
    });
    await failing.catch(() => {});
    await r.model.hold();
    const { generation } = await r.model.load();
    equal(await r.model.change({ put: [ticket] }, generation), "ok", "changing the model");
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

import {
  builtInClasses,
  type ClassDefinition,
  type ModelDelta,
  type Repositories,
  seesAll,
  type Storage,
  type StoredModel,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, equalToOneOf, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently, keepOpen, occurrences, signal } from "../fixtures/concurrently.ts";
import { equalCounts } from "../fixtures/lists.ts";
import { createObject, objectOf, update } from "../fixtures/objects.ts";
import { rolledBack } from "../fixtures/rolled-back.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";

const ticket: ClassDefinition = {
  name: "Ticket",
  base: null,
  attributes: [{ name: "Title", type: "string", mandatory: true, indexed: true }],
  rights: [{ group: "*", permissions: ["read"] }],
};

/** Locks the model in a transaction, which lingers and then runs `atTheEnd`. Resolves once the model is locked. */
async function lockModel(
  storage: Storage,
  atTheEnd: (inside: Repositories) => Promise<void>,
): Promise<{ readonly ended: Promise<void> }> {
  const modelLocked = signal();
  const ended = storage.transaction(async (inside) => {
    await inside.model.lock();
    modelLocked.fire();
    await keepOpen(inside, 50);
    await atTheEnd(inside);
  });
  await Promise.race([modelLocked.fired, ended]);
  return { ended };
}

function tickets(...names: readonly string[]): ClassDefinition[] {
  return names.map((name) => ({ ...ticket, name }));
}

/** Changes the current model and asserts success. Returns the new model. */
async function change({ model }: Repositories, delta: ModelDelta): Promise<StoredModel> {
  const { generation } = await model.load();
  equal(await model.change(delta, generation), "ok", "the outcome of changing the model");
  return model.load();
}

/** Asserts that these are all classes in addition to the built-in ones. */
function adds({ classes }: StoredModel, ...added: readonly unknown[]): void {
  equalInAnyOrder(classes, [...builtInClasses, ...added], "the classes");
}

function assertUnchanged(after: StoredModel, before: StoredModel): void {
  equal(after.generation, before.generation, "the generation");
  equalInAnyOrder(after.classes, before.classes, "the classes");
}

export const modelChecks: readonly Check[] = checksOf("model", {
  "starts with the built-in classes": async ({ r }) => {
    const { generation, classes } = await r.model.load();
    isTrue(Number.isSafeInteger(generation) && generation > 0, "The first generation must be a positive whole number");
    equalInAnyOrder(classes, builtInClasses, "the classes");
  },

  "adds a class and keeps the others unchanged": async ({ r }) => {
    const { generation } = await r.model.load();
    const changed = await change(r, { put: [ticket] });
    equal(changed.generation, generation + 1, "the generation");
    adds(changed, ticket);
  },

  "replaces the whole definition of a class": async ({ r }) => {
    await change(r, { put: [ticket] });
    const bare: ClassDefinition = { name: "Ticket", base: "User", attributes: [], rights: [] };
    adds(await change(r, { put: [bare] }), bare);
  },

  "changes several classes in one call": async ({ r }) => {
    const put = tickets("One", "Two", "Three");
    adds(await change(r, { put }), ...put);
  },

  "stores definitions unchanged, with the order of their attributes": async ({ r }) => {
    const rich: ClassDefinition = {
      name: "Rich_Class9",
      base: "User",
      title: "Boss.Name",
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
    const { classes } = await change(r, { put: [rich] });
    equal(
      classes.find(({ name }) => name === rich.name),
      rich,
      "the class",
    );
  },

  "distinguishes class names by case": async ({ r }) => {
    const put = tickets("Ticket", "ticket", "tickeT");
    adds(await change(r, { put }), ...put);
  },

  "refuses a change of another generation than the current one": async ({ r }) => {
    const { generation } = await r.model.load();
    const before = await change(r, { put: [] });
    for (const expected of [generation, before.generation + 1, 0]) {
      equal(
        await r.model.change({ put: [ticket] }, expected),
        "stale",
        `the outcome of changing generation ${expected}`,
      );
    }
    assertUnchanged(await r.model.load(), before);
  },

  "accepts one of several concurrent changes of the same generation": async ({ r }) => {
    const { generation } = await r.model.load();
    const outcomes = await concurrently(10, (index) => r.model.change({ put: tickets(`Ticket${index}`) }, generation));
    equalCounts(outcomes, { ok: 1, stale: 9 }, "numbers of successful and stale changes");
    adds(await r.model.load(), ...tickets(`Ticket${outcomes.indexOf("ok")}`));
  },

  "removes classes and keeps their objects": async ({ r }) => {
    const file = await createObject(r);
    const put = tickets("One", "Two", "Three");
    const added = await change(r, { put });
    const changed = await change(r, { put: [], removed: ["One", "File", "Three"] });
    equal(changed.generation, added.generation + 1, "the generation");
    equalInAnyOrder(changed.classes, [...builtInClasses.filter(({ name }) => name !== "File"), put[1]], "the classes");
    equal(await r.objects.get([file.id], seesAll), [file], "the object of a removed class");
  },

  "puts and removes classes in one call": async ({ r }) => {
    await change(r, { put: tickets("Old") });
    adds(await change(r, { put: [ticket], removed: ["Old"] }), ticket);
  },

  "ignores the removal of an unknown class": async ({ r }) => {
    adds(await change(r, { put: [], removed: ["Nobody", "user", "", ...hostileTexts] }));
  },

  "keeps the classes that a stale change would remove": async ({ r }) => {
    const { generation } = await r.model.load();
    equal(
      await r.model.change({ put: [], removed: ["File"] }, generation + 1),
      "stale",
      "the outcome of changing the model",
    );
    adds(await r.model.load());
  },

  "locks the model for one transaction at a time, with the latest state": async ({ storage, r, canOvertake }) => {
    let holders = 0;
    const outcomes = await concurrently(6, (index) =>
      storage.transaction(async (inside) => {
        await inside.model.lock();
        holders += 1;
        try {
          const { generation } = await inside.model.load();
          await keepOpen(inside, 10);
          if (!canOvertake) equal(holders, 1, "number of transactions that lock the model");
          return await inside.model.change({ put: tickets(`Ticket${index}`) }, generation);
        } finally {
          holders -= 1;
        }
      }),
    );
    equal(occurrences("ok", outcomes), 6, "number of changes");
    equal((await r.model.load()).classes.length, builtInClasses.length + 6, "number of classes");
  },

  "blocks model changes of others while a transaction locks the model": async ({ storage, r, canOvertake }) => {
    const { generation } = await r.model.load();
    const events: string[] = [];
    const locking = await lockModel(storage, async (inside) => {
      const allowed = [generation, ...(canOvertake ? [generation + 1] : [])];
      equalToOneOf((await inside.model.load()).generation, allowed, "the generation");
      events.push("let go");
    });
    const changing = r.model.change({ put: [ticket] }, generation).then((outcome) => events.push(outcome));
    await Promise.all([locking.ended, changing]);
    if (!canOvertake) equal(events, ["let go", "ok"], "the order of events");
    equal((await r.model.load()).generation, generation + 1, "the generation after the change");
  },

  "blocks writers while a transaction locks the model": async ({ storage, r, canOvertake }) => {
    const object = await createObject(r);
    const events: string[] = [];
    const locking = await lockModel(storage, async () => {
      events.push("let go");
    });
    const creating = createObject(r).then(() => events.push("written"));
    const changing = update(r, object.id, { Name: "other" }).then(() => events.push("written"));
    await Promise.all([locking.ended, creating, changing]);
    if (!canOvertake) equal(events, ["let go", "written", "written"], "the order of events");
    equal((await objectOf(r, object.id))?.attributes["Name"], "other", "the name of the changed object");
  },

  "waits for running writers before it locks the model": async ({ storage, r, canOvertake }) => {
    const events: string[] = [];
    const written = signal();
    const writing = storage.transaction(async (inside) => {
      await createObject(inside);
      written.fire();
      await keepOpen(inside, 50);
      events.push("written");
    });
    await Promise.race([written.fired, writing]);
    const locking = storage.transaction(async (inside) => {
      await inside.model.lock();
      events.push(`locked with ${await inside.objects.count({ classes: ["File"] }, seesAll)}`);
    });
    await Promise.all([writing, locking]);
    if (!canOvertake) equal(events, ["written", "locked with 1"], "the order of events");
    equal(await r.objects.count({ classes: ["File"] }, seesAll), 1, "number of objects");
  },

  "lets a transaction lock and change the model repeatedly": async ({ storage, r }) => {
    await storage.transaction(async (inside) => {
      for (const name of ["One", "Two"]) {
        await inside.model.lock();
        await change(inside, { put: tickets(name) });
      }
    });
    equal((await r.model.load()).classes.length, builtInClasses.length + 2, "number of classes");
  },

  "unlocks the model when its transaction fails": async ({ storage, r }) => {
    await rolledBack(storage, ({ model }) => model.lock());
    await r.model.lock();
    await change(r, { put: [ticket] });
  },

  "keeps the model in a repeated migration": async ({ storage, r }) => {
    const before = await change(r, { put: tickets("User") });
    await storage.migrate();
    assertUnchanged(await r.model.load(), before);
  },

  "keeps the objects of a changed class unchanged": async ({ r }) => {
    const object = await createObject(r, { attributes: { Name: "plan", Old: 1 } });
    await change(r, { put: tickets("File") });
    equal(await r.objects.get([object.id], seesAll), [object], "the object");
  },
});

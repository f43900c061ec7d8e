import { builtInClasses, type ClassDefinition, seesAll } from "@sallyport/core";
import { equal, failsWith, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed, createUser, createUserObject } from "../fixtures/accounts.ts";
import { everyCall } from "../fixtures/every-call.ts";

const beforeMigration = checksOf(
  "lifecycle",
  {
    "answers 705 to every call until it is migrated": async ({ storage, r }) => {
      await failsWith(705, () => storage.health(), "health of a database that is not migrated");
      for (const [name, call] of everyCall(r)) await failsWith(705, call, `${name} before the migration`);
      await failsWith(
        705,
        () => storage.transaction((inside) => inside.audit.read(0, 1)),
        "a transaction before the migration",
      );
      await failsWith(705, () => storage.alignIndexes([]), "aligning indexes before the migration");
      await failsWith(705, () => storage.readyIndexes([]), "asking for indexes before the migration");
    },

    "works once it is migrated, also for those who were refused before": async ({ storage, r }) => {
      await failsWith(705, () => r.sessions.count(), "a call before the migration");
      await storage.migrate();
      await storage.health();
      equal(await r.sessions.count(), 0, "sessions in a new database");
    },

    "gives a new database the classes that it is migrated with, and no other": async ({ storage, r }) => {
      const note: ClassDefinition = {
        name: "Note",
        base: null,
        attributes: [{ name: "Text", type: "string" }],
        rights: [{ group: "*", permissions: ["read"] }],
      };
      await storage.migrate([...builtInClasses, note]);
      const { generation, classes } = await r.model.load();
      equal(generation, 1, "the generation");
      equal(classes, [...builtInClasses, note], "the classes");
      await storage.migrate(builtInClasses);
      equal(await r.model.load(), { generation, classes }, "the model after another migration");
      holds(await r.settings.isEmpty(), "A new database is empty with any classes");
    },

    "applies every migration once, by name": async ({ storage }) => {
      const { applied } = await storage.migrate();
      holds(applied.length > 0, "The first migration names nothing that it applied");
      equal(new Set(applied).size, applied.length, "how many names of migrations differ");
      equal(await storage.migrate(), { applied: [] }, "the report of a second migration");
    },

    "applies every migration once when it is asked twice at once": async ({ storage }) => {
      const reports = await Promise.all([storage.migrate(), storage.migrate()]);
      const applied = reports.flatMap((report) => report.applied);
      holds(applied.length > 0, "Two migrations at once name nothing that they applied");
      equal(new Set(applied).size, applied.length, "how many names of migrations differ");
      await storage.health();
    },

    "can be closed without ever being migrated": async ({ storage }) => {
      await storage.close();
      await failsWith(706, () => storage.migrate(), "migrate after close");
    },
  },
  { migrated: false },
);

const afterMigration = checksOf("lifecycle", {
  "is healthy when it is migrated": async ({ storage }) => {
    await storage.health();
  },

  "starts without objects, sessions and audit": async ({ r }) => {
    equal(
      await r.objects.count({ classes: ["User", "UserGroup", "Employee", "ContactPerson", "Image", "File"] }, seesAll),
      0,
      "objects",
    );
    equal(await r.sessions.count(), 0, "sessions");
    equal(await r.audit.read(0, 10), [], "the audit");
  },

  "keeps what is there when it is migrated again": async ({ storage, r }) => {
    const { loginName, userId } = await createUser(r);
    await storage.migrate();
    equal((await accountNamed(r, loginName))?.userId, userId, "the user of the account");
    equal((await r.objects.get([userId], seesAll)).length, 1, "the user's object");
  },

  "answers 706 to every call after it is closed": async ({ storage, r }) => {
    await createUserObject(r);
    await storage.close();
    for (const [name, call] of everyCall(r)) await failsWith(706, call, `${name} after close`);
    await failsWith(706, () => storage.transaction((inside) => inside.audit.read(0, 1)), "a transaction after close");
    await failsWith(706, () => storage.alignIndexes([]), "aligning indexes after close");
    await failsWith(706, () => storage.readyIndexes([]), "asking for indexes after close");
    await failsWith(706, () => storage.health(), "health after close");
    await failsWith(706, () => storage.now(), "now after close");
    await failsWith(706, () => storage.migrate(), "migrate after close");
  },

  "can be closed twice, one after the other and at once": async ({ storage }) => {
    await Promise.all([storage.close(), storage.close()]);
    await storage.close();
    await failsWith(706, () => storage.health(), "health after close");
  },

  "lets what runs come to its end before it is closed": async ({ storage }) => {
    const order: string[] = [];
    let closing: Promise<void> = Promise.resolve();
    await storage.transaction(async (r) => {
      await r.settings.setMaintenance(true);
      closing = storage.close().then(() => void order.push("closed"));
      await r.settings.setMaintenance(false);
      await r.audit.read(0, 1);
      order.push("work done");
    });
    await closing;
    equal(order, ["work done", "closed"], "the order of events");
  },

  "refuses with 706 as soon as closing has begun": async ({ storage, r }) => {
    const closing = storage.close();
    await failsWith(706, () => r.sessions.count(), "a call while it is being closed");
    await closing;
  },
});

export const lifecycleChecks: readonly Check[] = [...beforeMigration, ...afterMigration];

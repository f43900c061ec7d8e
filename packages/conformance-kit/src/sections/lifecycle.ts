import { builtInClasses, type ClassDefinition, seesAll } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed, createUser, createUserObject } from "../fixtures/accounts.ts";
import { everyCall } from "../fixtures/every-call.ts";

const beforeMigration = checksOf(
  "lifecycle",
  {
    "answers 705 to every call until it is migrated": async ({ storage, r }) => {
      await failsWith(705, () => storage.health(), "the health of a database that is not migrated");
      for (const [name, call] of everyCall(r)) await failsWith(705, call, `${name} before the migration`);
      await failsWith(
        705,
        () => storage.transaction((inside) => inside.audit.read(0, 1)),
        "a transaction before the migration",
      );
      await failsWith(705, () => storage.alignIndexes([]), "aligning indexes before the migration");
      await failsWith(705, () => storage.readyIndexes([]), "reading index readiness before the migration");
    },

    "works after the migration, also for callers that were refused before": async ({ storage, r }) => {
      await failsWith(705, () => r.sessions.count(), "a call before the migration");
      await storage.migrate();
      await storage.health();
      equal(await r.sessions.count(), 0, "number of sessions in a new database");
    },

    "creates exactly the given classes in a new database": async ({ storage, r }) => {
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
      isTrue(await r.settings.isEmpty(), "A new database must be empty with any classes");
    },

    "applies every migration once and returns its name": async ({ storage }) => {
      const { applied } = await storage.migrate();
      isTrue(applied.length > 0, "The first migration must return the names of the applied migrations");
      equal(new Set(applied).size, applied.length, "number of different migration names");
      equal(await storage.migrate(), { applied: [] }, "the report of a second migration");
    },

    "applies every migration once in concurrent calls": async ({ storage }) => {
      const reports = await Promise.all([storage.migrate(), storage.migrate()]);
      const applied = reports.flatMap((report) => report.applied);
      isTrue(applied.length > 0, "One of two concurrent migrations must return the names of the applied migrations");
      equal(new Set(applied).size, applied.length, "number of different migration names");
      await storage.health();
    },

    "closes without a previous migration": async ({ storage }) => {
      await storage.close();
      await failsWith(706, () => storage.migrate(), "migrate after close");
    },
  },
  { migrated: false },
);

const afterMigration = checksOf("lifecycle", {
  "is healthy after the migration": async ({ storage }) => {
    await storage.health();
  },

  "starts without objects, sessions and audit events": async ({ r }) => {
    equal(
      await r.objects.count({ classes: ["User", "UserGroup", "Employee", "ContactPerson", "Image", "File"] }, seesAll),
      0,
      "objects",
    );
    equal(await r.sessions.count(), 0, "sessions");
    equal(await r.audit.read(0, 10), [], "the audit");
  },

  "keeps existing data in a repeated migration": async ({ storage, r }) => {
    const { loginName, userId } = await createUser(r);
    await storage.migrate();
    equal((await accountNamed(r, loginName))?.userId, userId, "the user of the account");
    equal((await r.objects.get([userId], seesAll)).length, 1, "the object of the user");
  },

  "answers 706 to every call after it is closed": async ({ storage, r }) => {
    await createUserObject(r);
    await storage.close();
    for (const [name, call] of everyCall(r)) await failsWith(706, call, `${name} after close`);
    await failsWith(706, () => storage.transaction((inside) => inside.audit.read(0, 1)), "a transaction after close");
    await failsWith(706, () => storage.alignIndexes([]), "aligning indexes after close");
    await failsWith(706, () => storage.readyIndexes([]), "reading index readiness after close");
    await failsWith(706, () => storage.health(), "the health after close");
    await failsWith(706, () => storage.now(), "now after close");
    await failsWith(706, () => storage.migrate(), "migrate after close");
  },

  "accepts repeated calls of close, sequential and concurrent": async ({ storage }) => {
    await Promise.all([storage.close(), storage.close()]);
    await storage.close();
    await failsWith(706, () => storage.health(), "the health after close");
  },

  "completes running work before it closes": async ({ storage }) => {
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

  "refuses new calls with 706 as soon as it starts to close": async ({ storage, r }) => {
    const closing = storage.close();
    await failsWith(706, () => r.sessions.count(), "a call during close");
    await closing;
  },
});

export const lifecycleChecks: readonly Check[] = [...beforeMigration, ...afterMigration];

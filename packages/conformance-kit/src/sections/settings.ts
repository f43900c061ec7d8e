import type { Repositories } from "@sallyport/core";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/concurrently.ts";
import { createAppKey } from "../fixtures/apps.ts";
import { createCustomAccount, createUserObject } from "../fixtures/accounts.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { hour, minute } from "../fixtures/policy.ts";

/** Asserts that a database is empty before some work and not empty after it. */
function fills(work: (r: Repositories) => Promise<unknown>): Check["run"] {
  return async ({ r }) => {
    equal(await r.settings.isEmpty(), true, "whether the database is empty before");
    await work(r);
    equal(await r.settings.isEmpty(), false, "whether the database is empty after");
  };
}

export const settingsChecks: readonly Check[] = checksOf("settings", {
  "are not of an empty database with an app key": fills(createAppKey),
  "are not of an empty database with an object": fills(createUserObject),
  "are not of an empty database with an object that only some may read": fills((r) =>
    r.objects.insert([{ className: "File", attributes: {}, readers: [] }]),
  ),
  "are not of an empty database with an object of a class that the model does not name": fills((r) =>
    r.objects.insert([{ className: "Unknown", attributes: {} }]),
  ),
  "are not of an empty database with an account": fills((r) =>
    r.accounts.create({ userId: "1", loginName: "name", secret: "", administrator: false }, "name"),
  ),
  "are not of an empty database with a custom account": fills((r) => createCustomAccount(r, { userId: "1" })),
  "are not of an empty database with a class": fills((r) =>
    r.model.change({ put: [{ name: "Invoice", base: null, attributes: [], rights: [] }] }, 1),
  ),
  "are not of an empty database with a built-in class that was changed": fills(async (r) => {
    const { generation, classes } = await r.model.load();
    return r.model.change({ put: classes.slice(0, 1) }, generation);
  }),

  "are of an empty database with what is only recorded": async ({ storage, r }) => {
    await r.audit.append(auditEvent);
    await r.throttle.fail([
      { key: "a", policy: { maxFailures: 1, initialDelay: minute, maxDelay: minute, resetAfter: hour } },
    ]);
    await r.records.put("sample", "one", 1);
    await storage.migrate();
    equal(await r.settings.isEmpty(), true, "whether the database is empty");
  },

  "are read as they were set": async ({ storage, r }) => {
    const before = await r.settings.read();
    equal([before.maintenance, before.macroGeneration], [false, 0], "the settings of a new database");
    await r.settings.setMaintenance(true);
    await storage.transaction(async (inside) => {
      await inside.settings.raiseMacroGeneration();
      equal((await inside.settings.read()).macroGeneration, 1, "the generation inside of the transaction");
    });
    await r.settings.raiseMacroGeneration();
    equal(await r.settings.read(), { ...before, maintenance: true, macroGeneration: 2 }, "the settings");
  },

  "raise the generation of macros by one for each, however many raise it at once": async ({ r }) => {
    await atOnce(12, () => r.settings.raiseMacroGeneration());
    equal((await r.settings.read()).macroGeneration, 12, "the generation");
    const admitted = await r.admission.admit({ appKey: null, session: null, idleTimeout: minute });
    equal(admitted.macroGeneration, 12, "the generation that admission shows");
  },

  "tell a transaction of what it has put in": async ({ storage }) => {
    await storage.transaction(async (r) => {
      equal(await r.settings.isEmpty(), true, "whether the database is empty before");
      await createAppKey(r);
      equal(await r.settings.isEmpty(), false, "whether the database is empty after");
    });
  },
});

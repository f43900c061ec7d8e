import { ofDatabase, type Repositories } from "@sallyport/storage";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { concurrently } from "../fixtures/concurrently.ts";
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
  "reports a database with an app key as not empty": fills(createAppKey),
  "reports a database with an object as not empty": fills(createUserObject),
  "reports a database with a restricted object as not empty": fills((r) =>
    r.objects.insert([{ className: "File", attributes: {}, readers: [] }]),
  ),
  "reports a database with an object of an undefined class as not empty": fills((r) =>
    r.objects.insert([{ className: "Unknown", attributes: {} }]),
  ),
  "reports a database with an account as not empty": fills((r) =>
    r.accounts.create({ userId: "1", loginName: "name", secret: "", administrator: false }, "name"),
  ),
  "reports a database with a custom account as not empty": fills((r) => createCustomAccount(r, { userId: "1" })),
  "reports a database with a new class as not empty": fills((r) =>
    r.model.change({ put: [{ name: "Invoice", base: null, attributes: [], rights: [] }] }, 1),
  ),
  "reports a database with a changed built-in class as not empty": fills(async (r) => {
    const { generation, classes } = await r.model.load();
    return r.model.change({ put: classes.slice(0, 1) }, generation);
  }),

  "reports a database with operational data only as empty": async ({ storage, r }) => {
    await r.audit.append(auditEvent);
    await r.throttle.fail([
      { key: "a", policy: { maxFailures: 1, initialDelay: minute, maxDelay: minute, resetAfter: hour } },
    ]);
    await r.records.put("sample", "one", 1);
    await storage.migrate();
    equal(await r.settings.isEmpty(), true, "whether the database is empty");
  },

  "reads settings as set": async ({ storage, r }) => {
    const before = await r.admission.admit(ofDatabase);
    equal([before.maintenance, before.settingsGeneration], [false, 0], "the settings of a new database");
    await r.settings.setMaintenance(true);
    await storage.transaction(async (inside) => {
      await inside.settings.raise();
      equal((await inside.admission.admit(ofDatabase)).settingsGeneration, 1, "the generation inside the transaction");
    });
    await r.settings.raise();
    equal(await r.admission.admit(ofDatabase), { ...before, maintenance: true, settingsGeneration: 2 }, "the settings");
  },

  "increases the settings generation by one for each of several concurrent calls": async ({ r }) => {
    await concurrently(12, () => r.settings.raise());
    equal((await r.admission.admit(ofDatabase)).settingsGeneration, 12, "the generation");
  },

  "shows a transaction its own writes in the emptiness check": async ({ storage }) => {
    await storage.transaction(async (r) => {
      equal(await r.settings.isEmpty(), true, "whether the database is empty before");
      await createAppKey(r);
      equal(await r.settings.isEmpty(), false, "whether the database is empty after");
    });
  },
});

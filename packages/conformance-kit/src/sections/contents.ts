import type { Repositories } from "@sallyport/core";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { createAppKey } from "../fixtures/create-app-key.ts";
import { createCustomAccount } from "../fixtures/create-custom-account.ts";
import { createUserObject } from "../fixtures/create-user.ts";
import { auditEvent } from "../fixtures/every-call.ts";
import { macroNamed } from "../fixtures/macro-named.ts";
import { createLink } from "../fixtures/new-link.ts";
import { newKey } from "../fixtures/new-key.ts";
import { hour, minute } from "../fixtures/policy.ts";

/** Demands that a database is empty before some work and is not after it. */
function fills(work: (r: Repositories) => Promise<unknown>): Check["run"] {
  return async ({ r }) => {
    equal(await r.contents.isEmpty(), true, "whether the database is empty before");
    await work(r);
    equal(await r.contents.isEmpty(), false, "whether the database is empty after");
  };
}

export const contentsChecks: readonly Check[] = checksOf("contents", {
  "are not empty with an app key": fills(createAppKey),
  "are not empty with an app name": fills((r) => r.applications.create({ name: "field", seats: null })),
  "are not empty with an object": fills(createUserObject),
  "are not empty with an object that only some may read": fills((r) =>
    r.objects.insert([{ className: "File", attributes: {}, readers: [] }]),
  ),
  "are not empty with an object of a class that the model does not name": fills((r) =>
    r.objects.insert([{ className: "Unknown", attributes: {} }]),
  ),
  "are not empty with an account": fills((r) =>
    r.accounts.create({ userId: "1", loginName: "name", secret: "", administrator: false }, "name"),
  ),
  "are not empty with a custom account": fills((r) => createCustomAccount(r, { userId: "1" })),
  "are not empty with an identity provider": fills((r) =>
    r.identityProviders.put({ type: "apple", name: "", sealedData: "", defaultUserId: null, appNames: [] }),
  ),
  "are not empty with a link": fills((r) => createLink(r)),
  "are not empty with a macro": fills((r) => r.macros.put(macroNamed("Report"), null)),
  "are not empty with a macro that was removed": fills(async (r) => {
    await r.macros.put(macroNamed("Report"), null);
    await r.macros.remove("Report", { changedBy: "somebody", expectedVersion: null });
  }),
  "are not empty with a class": fills((r) =>
    r.model.change({ put: [{ name: "Invoice", base: null, attributes: [], rights: [] }] }, 1),
  ),
  "are not empty with a built-in class that was changed": fills(async (r) => {
    const { generation, classes } = await r.model.load();
    return r.model.change({ put: classes.slice(0, 1) }, generation);
  }),

  "stay empty with what is only recorded": async ({ storage, r }) => {
    await r.audit.append(auditEvent);
    await r.throttle.fail([
      { key: "a", policy: { freeFailures: 1, firstDelay: minute, longestDelay: minute, forgetAfter: hour } },
    ]);
    await r.keys.addFirst(newKey("rsa", "one"));
    await storage.migrate();
    equal(await r.contents.isEmpty(), true, "whether the database is empty");
  },

  "are seen as the transaction has them": async ({ storage }) => {
    await storage.transaction(async (r) => {
      equal(await r.contents.isEmpty(), true, "whether the database is empty before");
      await createAppKey(r);
      equal(await r.contents.isEmpty(), false, "whether the database is empty after");
    });
  },
});

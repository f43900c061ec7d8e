import type { Account, Admission, Repositories } from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed, accountOf, createCustomAccount, createUser } from "../fixtures/accounts.ts";
import { restoreObjects, createObjects, idsOf, deleteObjects, update } from "../fixtures/objects.ts";
import { createAppKey } from "../fixtures/apps.ts";
import { freshDigest } from "../fixtures/digests.ts";
import { whileOpen } from "../fixtures/concurrently.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";
import { unlimitedSessions } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

const { idleTimeout } = unlimitedSessions;
const modes = ["session", "token", "secure"] as const;

/** A user with an open session. */
async function scene(r: Repositories, user: Parameters<typeof createUser>[1] = {}) {
  const visitor = await Visitor.create(r, { account: await createUser(r, user) });
  return { visitor, digest: await visitor.open(r) };
}

/** Asserts that a change of an account ends its sessions and no others. */
async function endsSessions(r: Repositories, change: (account: Account) => Promise<unknown>): Promise<void> {
  const { visitor, digest } = await scene(r);
  const colleague = await Visitor.create(r, { key: visitor });
  const other = await colleague.open(r);
  equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted before the change");
  await change(visitor.account);
  equal(await visitor.isAdmitted(r, digest), false, "whether the session of the changed account is admitted");
  equal(await colleague.isAdmitted(r, other), true, "whether the session of another user is admitted");
}

export const admissionChecks: readonly Check[] = checksOf("admission", {
  "admits neither app key nor session if the request names none": async ({ r }) => {
    await scene(r);
    const admission = await r.admission.admit({ appKey: null, session: null, idleTimeout });
    const { generation } = await r.model.load();
    const settings = { maintenance: false, modelGeneration: generation, settingsGeneration: 0 };
    equal(admission, { ...settings, appKey: null, session: null, principal: null }, "the admission");
  },

  "returns no app key for an unknown digest": async ({ r }) => {
    await createAppKey(r);
    for (const digest of [freshDigest(), "0".repeat(64), ""]) {
      const { appKey } = await r.admission.admit({ appKey: digest, session: null, idleTimeout });
      equal(appKey, null, "the app key");
    }
  },

  "reports a disabled app key as disabled": async ({ r }) => {
    const { appKey, digest } = await createAppKey(r);
    await r.appKeys.setEnabled(appKey.name, false);
    const admission = await r.admission.admit({ appKey: digest, session: null, idleTimeout });
    equal(admission.appKey, { ...appKey, enabled: false }, "the app key");
  },

  "returns a session as opened, with its principal": async ({ r }) => {
    const visitor = await Visitor.create(r);
    for (const mode of modes) {
      const opened = visitor.newSession({ mode, appNames: ["field", "office"], deviceId: `device ${mode}` });
      await r.sessions.open(opened, unlimitedSessions);
      const { digest: _digest, secretVersion: _version, ...session } = opened;
      const admission = await visitor.admitAs(r, mode, opened.digest);
      equal(admission.appKey, visitor.appKey, "the app key");
      equal(admission.session, { ...session, reservedNames: [], enrolling: false }, "the session");
      equal(admission.principal, { userId: visitor.account.userId, groups: [], administrator: false }, "the principal");
    }
  },

  "returns no session for another mode than the requested one": async ({ r }) => {
    const visitor = await Visitor.create(r);
    for (const mode of modes) {
      const digest = await visitor.open(r, { mode });
      for (const asked of modes) {
        const { appKey, session, principal } = await visitor.admitAs(r, asked, digest);
        equal(
          [session?.mode, principal !== null],
          asked === mode ? [mode, true] : [undefined, false],
          `a session of mode ${mode}, requested as ${asked}`,
        );
        equal(appKey, visitor.appKey, "the app key");
      }
    }
  },

  "looks up a session in session-id mode by default": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const digests = [await visitor.open(r), await visitor.open(r, { mode: "token" }), await visitor.openSecure(r)];
    const admitted = await Promise.all(digests.map((digest) => visitor.isAdmitted(r, digest)));
    equal(admitted, [true, false, false], "the admitted sessions");
  },

  "keeps the order of app names and the exact hostile texts of a session": async ({ r }) => {
    const visitor = await Visitor.create(r);
    for (const text of hostileTexts) {
      const digest = await visitor.open(r, { appNames: [text, "b", "a"], deviceId: text });
      const { session } = await visitor.admit(r, digest);
      equal([session?.appNames, session?.deviceId], [[text, "b", "a"], text], "the app names and the device");
    }
  },

  "distinguishes a session without a device from one with an empty device name": async ({ r }) => {
    const visitor = await Visitor.create(r);
    for (const deviceId of [null, ""]) {
      const digest = await visitor.open(r, { deviceId });
      equal((await visitor.admit(r, digest)).session?.deviceId, deviceId, "the device");
    }
  },

  "returns no session for an unknown digest": async ({ r }) => {
    const { visitor } = await scene(r);
    for (const digest of [freshDigest(), "0".repeat(64), "", visitor.keyDigest]) {
      equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted");
    }
  },

  "admits a session only with the app key that opened it": async ({ r }) => {
    const { visitor, digest } = await scene(r);
    const stranger = await createAppKey(r);
    const admission = await r.admission.admit({ appKey: stranger.digest, session: digest, idleTimeout });
    equal(admission.appKey, stranger.appKey, "the app key");
    equal([admission.session, admission.principal], [null, null], "the session and the principal");
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted with its own app key");
  },

  "admits no session without an app key": async ({ r }) => {
    const { digest } = await scene(r);
    for (const appKey of [null, freshDigest()]) {
      const { session, principal } = await r.admission.admit({ appKey, session: digest, idleTimeout });
      equal([session, principal], [null, null], "the session and the principal");
    }
  },

  "ends a session that a transaction has locked after the transaction": async ({ storage, r, canOvertake }) => {
    const { visitor, digest } = await scene(r);
    const order: string[] = [];
    await whileOpen(
      storage,
      async ({ admission }) => {
        const { session } = await admission.admit({
          appKey: visitor.keyDigest,
          session: digest,
          idleTimeout,
          lock: true,
        });
        isTrue(session !== null || canOvertake, "The session must be admitted");
      },
      async () => {
        await r.sessions.end({ digest });
        order.push("end");
      },
      { last: async () => order.push("transaction") },
    );
    if (!canOvertake) equal(order, ["transaction", "end"], "the order");
    equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted");
  },

  "admits no session of a disabled account": ({ r }) =>
    endsSessions(r, ({ userId }) => r.accounts.change(userId, { disabled: true })),

  "admits no session after the secret that opened it is replaced": ({ r }) =>
    endsSessions(r, ({ userId, secretVersion }) => r.accounts.setSecret(userId, "second secret", secretVersion)),

  "admits no session that is opened with an already replaced secret": async ({ r }) => {
    const visitor = await Visitor.create(r);
    const { userId, loginName, secretVersion } = visitor.account;
    await r.accounts.setSecret(userId, "second secret", secretVersion);
    const late = visitor.newSession();
    await r.sessions.open(late, unlimitedSessions);
    equal(await visitor.isAdmitted(r, late.digest), false, "whether the late session is admitted");
    const account = await accountNamed(r, loginName);
    isTrue(account !== null, "The account must exist");
    const renewed = await Visitor.create(r, { account, key: visitor });
    equal(
      await renewed.isAdmitted(r, await renewed.open(r)),
      true,
      "whether a session with the new secret is admitted",
    );
  },

  "admits no ended session, starting with the next request": async ({ r }) => {
    const visitor = await Visitor.create(r);
    for (let round = 0; round < 5; round += 1) {
      const digest = await visitor.open(r);
      equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
      equal(await r.sessions.end({ digest }), 1, "number of ended sessions");
      equal(await visitor.isAdmitted(r, digest), false, "whether the ended session is admitted");
    }
  },

  "reports a disabled app key immediately while sessions are in use": async ({ r }) => {
    const { visitor, digest } = await scene(r);
    equal((await visitor.admit(r, digest)).appKey?.enabled, true, "whether the app key is enabled");
    await r.appKeys.setEnabled(visitor.appKey.name, false);
    equal((await visitor.admit(r, digest)).appKey?.enabled, false, "whether the app key is enabled");
  },

  "returns the groups of the user": async ({ r }) => {
    const group = { className: "UserGroup" };
    const [a, b] = await createObjects(r, group, group, group);
    for (const ids of [[], [a.id], [b.id, a.id]]) {
      const { visitor, digest } = await scene(r, { attributes: { Groups: ids } });
      const { principal } = await visitor.admit(r, digest);
      equalInAnyOrder(principal?.groups ?? ["no principal"], ids, "the groups");
    }
  },

  "returns groups of a derived class and groups in the recycle bin": async ({ storage, r }) => {
    const { generation } = await r.model.load();
    const derived = { name: "ProjectGroup", base: "UserGroup", attributes: [], rights: [] };
    equal(
      await r.model.change({ put: [derived] }, generation),
      "ok",
      "the outcome of adding a class derived from the group class",
    );
    const group = { className: "UserGroup" };
    const ids = idsOf(await createObjects(r, group, { className: "ProjectGroup" }, group));
    const { visitor, digest } = await scene(r);
    await update(r, visitor.account.userId, { Groups: ids }, { links: { Groups: ids } });
    const named = async (what: string) =>
      equalInAnyOrder((await visitor.admit(r, digest)).principal?.groups ?? ["no principal"], ids, what);
    await named("the groups");
    // A group in the trash keeps its references, and its members keep its visibility.
    await deleteObjects(storage, ids.slice(2), true);
    await named("the groups, one of them in the recycle bin");
    await restoreObjects(storage, ids[2] ?? "");
    await named("the groups after one is restored");
  },

  "admits a session of a user without an object, without groups": async ({ storage, r }) => {
    const { visitor, digest } = await scene(r);
    const { userId } = visitor.account;
    await deleteObjects(storage, [userId]);
    const { principal } = await visitor.admit(r, digest);
    equal(principal, { userId, groups: [], administrator: false }, "the principal");
  },

  "returns no groups for a user without a groups attribute": async ({ r }) => {
    for (const attributes of [{}, { Groups: null }]) {
      const { visitor, digest } = await scene(r, { attributes });
      equal((await visitor.admit(r, digest)).principal?.groups, [], "the groups");
    }
  },

  "distinguishes administrators from other users": async ({ r }) => {
    for (const administrator of [true, false]) {
      const { visitor, digest } = await scene(r, { administrator });
      const { principal } = await visitor.admit(r, digest);
      equal(principal, { userId: visitor.account.userId, groups: [], administrator }, "the principal");
    }
  },

  "applies a change of the administrator flag to open sessions": async ({ r }) => {
    const { visitor, digest } = await scene(r, { administrator: false });
    const { userId } = visitor.account;
    const isAdministrator = async () => (await visitor.admit(r, digest)).principal?.administrator;
    for (const administrator of [true, true, false]) {
      equal(await r.accounts.change(userId, { administrator }), true, "whether the account exists");
      equal(await isAdministrator(), administrator, "whether the user is an administrator");
    }
    const custom = await createCustomAccount(r, { userId });
    const outcome = await r.accounts.change(custom.id, { administrator: true, email: "changed@example.com" });
    equal(outcome, false, "the outcome for a custom user");
    equal(await accountOf(r, custom.id), custom, "the custom user");
  },

  "reports the maintenance switch with every admission": async ({ r }) => {
    const { visitor, digest } = await scene(r);
    for (const on of [true, true, false, false, true]) {
      await r.settings.setMaintenance(on);
      equal((await visitor.admit(r, digest)).maintenance, on, "maintenance as reported for a session");
      const noUser = await r.admission.admit({ appKey: null, session: null, idleTimeout });
      equal(noUser.maintenance, on, "maintenance as reported without an app key");
    }
  },

  "reports the generation of the model": async ({ r }) => {
    const { visitor, digest } = await scene(r);
    for (let round = 0; round < 3; round += 1) {
      const { generation } = await r.model.load();
      equal((await visitor.admit(r, digest)).modelGeneration, generation, "the generation");
      await r.model.change({ put: [] }, generation);
    }
  },

  "reads an admission as one consistent snapshot": async ({ storage, r }) => {
    const { visitor, digest } = await scene(r);
    const change = async () => {
      for (let round = 0; round < 10; round += 1) {
        await storage.transaction(async (inside) => {
          await inside.accounts.change(visitor.account.userId, { disabled: round % 2 === 0 });
          await inside.settings.setMaintenance(round % 2 === 0);
        });
      }
    };
    const look = async () => {
      const torn: Admission[] = [];
      for (let round = 0; round < 40; round += 1) {
        const admission = await visitor.admit(r, digest);
        if (admission.maintenance !== (admission.session === null)) torn.push(admission);
      }
      return torn;
    };
    const [torn] = await Promise.all([look(), change()]);
    equal(torn, [], "admissions that contain only a part of a transaction");
  },
});

import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { createCustomAccount, pendingPassword } from "../../fixtures/create-custom-account.ts";
import { freshDigest } from "../../fixtures/fresh-digest.ts";
import { occurrences } from "../../fixtures/occurrences.ts";
import { minute } from "../../fixtures/policy.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

export const customAccountPasswordChecks: readonly Check[] = checksOf("custom accounts", {
  "replace a secret and raise its version": async ({ r }) => {
    const [before, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    equal(
      await r.customAccounts.setSecret(before.id, "second secret", before.secretVersion),
      "stored",
      "setting a secret",
    );
    const after = await r.customAccounts.find(before.id);
    holds(after !== null && after.secretVersion > before.secretVersion, "A new secret has a higher version");
    equal(after, { ...before, secret: "second secret", secretVersion: after.secretVersion }, "the account");
    equal(await r.customAccounts.find(bystander.id), bystander, "another account");
  },

  "leave a secret alone whose version is not the one expected": async ({ r }) => {
    const { id, secretVersion } = await createCustomAccount(r);
    await r.customAccounts.setSecret(id, "second secret", secretVersion);
    const current = await r.customAccounts.find(id);
    for (const version of [secretVersion, secretVersion - 1, secretVersion + 7]) {
      equal(
        await r.customAccounts.setSecret(id, "third secret", version),
        "stale",
        `setting a secret over version ${version}`,
      );
    }
    for (const unknown of [nobody, "", "constructor"])
      equal(await r.customAccounts.setSecret(unknown, "secret", 1), "stale", "setting nobody's secret");
    equal(await r.customAccounts.find(id), current, "the account");
  },

  "store one secret of those that replace the same version at once": async ({ r }) => {
    const { id, secretVersion } = await createCustomAccount(r);
    const outcomes = await atOnce(12, (index) => r.customAccounts.setSecret(id, `secret ${index}`, secretVersion));
    equal(
      [occurrences("stored", outcomes), occurrences("stale", outcomes)],
      [1, 11],
      "how many were stored, and how many were stale",
    );
    equal((await r.customAccounts.find(id))?.secret, `secret ${outcomes.indexOf("stored")}`, "the secret");
  },

  "put another hash of a password in the place of the one given, and keep the version": async ({ r }) => {
    const [before, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    equal(await r.customAccounts.rehash(before.id, before.secret, "the same, hashed anew"), "stored", "hashing anew");
    equal(await r.customAccounts.find(before.id), { ...before, secret: "the same, hashed anew" }, "the account");
    equal(
      await r.customAccounts.rehash(before.id, before.secret, "too late"),
      "stale",
      "hashing anew over a secret that is gone",
    );
    equal(await r.customAccounts.rehash(nobody, before.secret, "nobody's"), "stale", "hashing anew for nobody");
    equal((await r.customAccounts.find(before.id))?.secret, "the same, hashed anew", "the secret");
    equal(await r.customAccounts.find(bystander.id), bystander, "another account with the same secret");
  },

  "keep a new password until its code confirms it, and only once": async ({ r }) => {
    const [before, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    const pending = pendingPassword();
    equal(
      await r.customAccounts.request(before.id, pending, before.secretVersion),
      "kept",
      "asking for a new password",
    );
    equal(await r.customAccounts.find(before.id), before, "the account before it is confirmed");
    const version = await r.customAccounts.confirm(before.id, pending.code);
    holds(version !== null && version > before.secretVersion, "What is confirmed has a higher version");
    equal(
      await r.customAccounts.find(before.id),
      { ...before, secret: pending.secret, secretVersion: version },
      "the account after it",
    );
    equal(await r.customAccounts.confirm(before.id, pending.code), null, "confirming it again");
    equal(await r.customAccounts.find(bystander.id), bystander, "another account");
  },

  "have nothing to confirm where nothing waits": async ({ r }) => {
    const account = await createCustomAccount(r);
    for (const id of [account.id, nobody, "", "constructor"])
      equal(await r.customAccounts.confirm(id, freshDigest()), null, `confirming for "${id}"`);
    const pending = pendingPassword();
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    const other = await createCustomAccount(r);
    equal(await r.customAccounts.confirm(other.id, pending.code), null, "confirming with the code of another account");
    equal(await r.customAccounts.find(other.id), other, "the other account");
  },

  "ask for a new password over the current version alone": async ({ r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword();
    for (const version of [account.secretVersion + 1, account.secretVersion - 1]) {
      equal(await r.customAccounts.request(account.id, pending, version), "stale", `asking over version ${version}`);
    }
    for (const id of [nobody, "", "constructor"])
      equal(await r.customAccounts.request(id, pending, 1), "stale", `asking for "${id}"`);
    equal(await r.customAccounts.confirm(account.id, pending.code), null, "confirming what was not kept");
  },

  "refuse the code when its tries are used up": async ({ r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword({ tries: 3 });
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    for (const attempt of [1, 2, 3])
      equal(await r.customAccounts.confirm(account.id, freshDigest()), null, `wrong code ${attempt}`);
    equal(await r.customAccounts.confirm(account.id, pending.code), null, "the right code after them");
    equal(await r.customAccounts.find(account.id), account, "the account");
  },

  "accept the code at the last of its tries": async ({ r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword({ tries: 3 });
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    for (const attempt of [1, 2])
      equal(await r.customAccounts.confirm(account.id, freshDigest()), null, `wrong code ${attempt}`);
    holds(
      (await r.customAccounts.confirm(account.id, pending.code)) !== null,
      "The right code is accepted at the last try",
    );
  },

  "never exceed the tries, however many try at once": async ({ r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword({ tries: 5 });
    for (const wrong of [5, 20]) {
      await r.customAccounts.request(account.id, pending, account.secretVersion);
      equal(
        await atOnce(wrong, () => r.customAccounts.confirm(account.id, freshDigest())),
        Array.from({ length: wrong }, () => null),
        "wrong codes",
      );
      equal(
        await r.customAccounts.confirm(account.id, pending.code),
        null,
        `the right code after ${wrong} wrong ones at once`,
      );
    }
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    await atOnce(4, () => r.customAccounts.confirm(account.id, freshDigest()));
    holds(
      (await r.customAccounts.confirm(account.id, pending.code)) !== null,
      "The right code is accepted after four wrong ones at once",
    );
  },

  "are confirmed by one of those who have the code at once": async ({ r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword();
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    const versions = await atOnce(8, () => r.customAccounts.confirm(account.id, pending.code));
    equal(occurrences(null, versions), 7, "how many were refused");
    equal(
      (await r.customAccounts.find(account.id))?.secretVersion,
      versions.find((version) => version !== null),
      "the version",
    );
  },

  "refuse the code when its time is over, by the storage's clock": async ({ r, advance }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword({ lifetime: 10 * minute });
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    advance(9 * minute);
    equal(await r.customAccounts.confirm(account.id, freshDigest()), null, "a wrong code in time");
    advance(2 * minute);
    equal(await r.customAccounts.confirm(account.id, pending.code), null, "the right code too late");
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    advance(9 * minute);
    holds((await r.customAccounts.confirm(account.id, pending.code)) !== null, "The right code is accepted in time");
  },

  "keep the latest password that was asked for, with tries of its own": async ({ r }) => {
    const account = await createCustomAccount(r);
    const [first, second] = [pendingPassword({ tries: 1 }), pendingPassword({ secret: "third secret", tries: 2 })];
    await r.customAccounts.request(account.id, first, account.secretVersion);
    await r.customAccounts.request(account.id, second, account.secretVersion);
    equal(await r.customAccounts.confirm(account.id, first.code), null, "the code of the first");
    holds((await r.customAccounts.confirm(account.id, second.code)) !== null, "The code of the second is accepted");
    equal((await r.customAccounts.find(account.id))?.secret, "third secret", "the secret");
  },

  "forget what waits when the secret is set": async ({ r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword();
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    await r.customAccounts.setSecret(account.id, "set by somebody else", account.secretVersion);
    equal(await r.customAccounts.confirm(account.id, pending.code), null, "confirming what was forgotten");
    equal((await r.customAccounts.find(account.id))?.secret, "set by somebody else", "the secret");
  },

  "confirm as the transaction has it, or not at all": async ({ storage, r }) => {
    const account = await createCustomAccount(r);
    const pending = pendingPassword();
    await r.customAccounts.request(account.id, pending, account.secretVersion);
    const failing = storage.transaction(async (inside) => {
      holds((await inside.customAccounts.confirm(account.id, pending.code)) !== null, "The code is accepted");
      throw new Error("undone");
    });
    equal(
      await failing.then(
        () => null,
        (error: unknown) => (error as Error).message,
      ),
      "undone",
      "the error",
    );
    equal(await r.customAccounts.find(account.id), account, "the account after a transaction that failed");
    const version = await storage.transaction((inside) => inside.customAccounts.confirm(account.id, pending.code));
    equal((await r.customAccounts.find(account.id))?.secretVersion, version, "the version");
  },
});

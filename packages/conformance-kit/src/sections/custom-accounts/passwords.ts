import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences } from "../../fixtures/at-once.ts";
import { accountOf, createCustomAccount } from "../../fixtures/accounts.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

export const customAccountPasswordChecks: readonly Check[] = checksOf("custom accounts", {
  "replace a secret and raise its version": async ({ r }) => {
    const [before, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    equal(await r.accounts.setSecret(before.id, "second secret", before.secretVersion), "stored", "setting a secret");
    const after = await accountOf(r, before.id);
    holds(after !== null && after.secretVersion > before.secretVersion, "A new secret has a higher version");
    equal(after, { ...before, secret: "second secret", secretVersion: after.secretVersion }, "the account");
    equal(await accountOf(r, bystander.id), bystander, "another account");
  },

  "leave a secret alone whose version is not the one expected": async ({ r }) => {
    const { id, secretVersion } = await createCustomAccount(r);
    await r.accounts.setSecret(id, "second secret", secretVersion);
    const current = await accountOf(r, id);
    for (const version of [secretVersion, secretVersion - 1, secretVersion + 7]) {
      equal(
        await r.accounts.setSecret(id, "third secret", version),
        "stale",
        `setting a secret over version ${version}`,
      );
    }
    for (const unknown of [nobody, "", "constructor"])
      equal(await r.accounts.setSecret(unknown, "secret", 1), "stale", "setting nobody's secret");
    equal(await accountOf(r, id), current, "the account");
  },

  "store one secret of those that replace the same version at once": async ({ r }) => {
    const { id, secretVersion } = await createCustomAccount(r);
    const outcomes = await atOnce(12, (index) => r.accounts.setSecret(id, `secret ${index}`, secretVersion));
    equal(
      [occurrences("stored", outcomes), occurrences("stale", outcomes)],
      [1, 11],
      "how many were stored, and how many were stale",
    );
    equal((await accountOf(r, id))?.secret, `secret ${outcomes.indexOf("stored")}`, "the secret");
  },

  "put another hash of a password in the place of the one given, and keep the version": async ({ r }) => {
    const [before, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    equal(await r.accounts.rehash(before.id, before.secret, "the same, hashed anew"), "stored", "hashing anew");
    equal(await accountOf(r, before.id), { ...before, secret: "the same, hashed anew" }, "the account");
    equal(
      await r.accounts.rehash(before.id, before.secret, "too late"),
      "stale",
      "hashing anew over a secret that is gone",
    );
    equal(await r.accounts.rehash(nobody, before.secret, "nobody's"), "stale", "hashing anew for nobody");
    equal((await accountOf(r, before.id))?.secret, "the same, hashed anew", "the secret");
    equal(await accountOf(r, bystander.id), bystander, "another account with the same secret");
  },
});

import type { Account, NewAccount, Realm, Repositories } from "@sallyport/storage";
import { randomUUID } from "node:crypto";
import { equal, failsWith, isTrue } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountOf, createCustomAccount, createUser, createUserObject } from "../fixtures/accounts.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { codeOf } from "../fixtures/error-of.ts";
import { equalCounts } from "../fixtures/lists.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { orderedNames, shuffledNames } from "../fixtures/ordered-names.ts";

/** Ids without an account, some invalid in every realm. */
const nobodies = ["ZZZZZZZZZZ", "00000000-0000-4000-8000-000000000000", "", "1;", "constructor"];

const nothing = { account: null, user: null, linked: [], decoy: null, link: null };

/** Default properties of an account. */
const plain = { secret: "first secret", email: null, administrator: false };

/** The rules of both realms, independent of each other. `of` builds the titles of the checks. */
function checksOfRealm(realm: Realm, of: (name: string) => string): { readonly [name: string]: Check["run"] } {
  const create: (r: Repositories, account?: Partial<NewAccount>) => Promise<Account> =
    realm === "database" ? createUser : createCustomAccount;
  const find = (r: Repositories, loginName: string) => r.accounts.find({ realm, loginName }, []);
  const named = async (r: Repositories, loginName: string) => (await find(r, loginName)).account;
  /** A new account that is not stored yet, of a user without one. */
  const unborn = async (r: Repositories, loginName: string): Promise<NewAccount & { readonly id: string }> => {
    const userId = await createUserObject(r);
    return { ...plain, id: realm === "database" ? userId : randomUUID(), userId, loginName };
  };
  const renamed = (loginName: string, confusableKey = `like ${loginName}`) => ({ name: { loginName, confusableKey } });
  const checks: { readonly [name: string]: Check["run"] } = {
    "creates accounts enabled and finds them by name and by ID": async ({ r }) => {
      for (const email of [null, "ada@example.com"]) {
        const administrator = realm === "database" && email === null;
        const account = { ...(await unborn(r, `Ada ${email}`)), email, administrator };
        equal(await r.accounts.create(account, `key ${email}`), "created", "the outcome of creating an account");
        const found = await named(r, account.loginName);
        isTrue(
          found !== null && Number.isSafeInteger(found.secretVersion),
          "The version of the secret must be a whole number",
        );
        equal(found, { ...account, secretVersion: found.secretVersion, disabled: false }, "the account found by name");
        equal(await accountOf(r, account.id), found, "the account found by ID");
      }
    },

    "finds accounts by their exact names only, and none for invalid names": async ({ r }) => {
      equal(await find(r, "nobody"), nothing, "the result in an empty database");
      const account = await create(r, { loginName: "Ren\u00e9", secret: "the only one" });
      for (const loginName of ["demo", "\ufffd", "demo\ufffd"]) await create(r, { loginName, secret: "the only one" });
      const spellings = ["ren\u00e9", "REN\u00c9", "Rene\u0301", "Rene", "Ren\u00e9 ", " Ren\u00e9", "like Ren\u00e9"];
      const others = ["Ren%", "Ren_", "", "x".repeat(100_000)];
      for (const name of [...spellings, ...others, ...hostileTexts, ...unstorableTexts]) {
        const what = `the result for ${JSON.stringify(name.slice(0, 100))}`;
        equal(await find(r, name), { ...nothing, decoy: "the only one" }, what);
      }
      equal(await named(r, "Ren\u00e9"), account, "the account");
      for (const id of [...nobodies, ...hostileTexts, ...unstorableTexts])
        equal(await accountOf(r, id), null, `the account with ID ${JSON.stringify(id)}`);
    },

    "returns the secret of the next account by name as a decoy": async ({ r }) => {
      for (const loginName of ["b", "d", "\u{1f511}", "ü"])
        await create(r, { loginName, secret: `secret of ${loginName}` });
      const decoys = { a: "b", b: "d", c: "d", D: "b", e: "ü", ü: "\u{1f511}", "\u{1f511}": "b", "\u{1f600}": "b" };
      for (const [name, next] of Object.entries(decoys))
        equal((await find(r, name)).decoy, `secret of ${next}`, `the decoy for ${name}`);
    },

    "refuses a duplicate name, confusable key or ID without changes": async ({ r }) => {
      const first = await create(r, { loginName: "Ada" });
      const other = { ...(await unborn(r, "Grace")), secret: "another", administrator: realm === "database" };
      equal(
        await r.accounts.create({ ...other, loginName: "Ada" }, "another key"),
        "nameTaken",
        "the outcome for the same name",
      );
      equal(await r.accounts.create(other, "like Ada"), "nameTaken", "the outcome for the same key");
      const { id, userId } = first;
      equal(
        await r.accounts.create({ ...other, id, userId }, "another key"),
        "nameTaken",
        "the outcome for the same ID",
      );
      equal(await accountOf(r, id), first, "the existing account");
      equal([await accountOf(r, other.id), await named(r, "Grace")], [null, null], "the refused account");
      equal(await r.accounts.create(other, "another key"), "created", "the outcome for an unused name");
    },

    "creates one account when concurrent calls use the same name": async ({ r }) => {
      const accounts = await concurrently(8, (index) => unborn(r, `Ada ${index}`));
      const outcomes = await Promise.all(accounts.map((account) => r.accounts.create(account, "ada")));
      equalCounts(outcomes, { created: 1, nameTaken: 7 }, "numbers of created and refused accounts");
      for (const [index, { loginName }] of accounts.entries())
        equal((await named(r, loginName)) !== null, outcomes[index] === "created", `whether ${loginName} exists`);
    },

    "renames accounts and changes nothing else": async ({ r }) => {
      const before = await create(r, { loginName: "before", email: "ada@example.com" });
      equal(await r.accounts.change(before.id, renamed("after")), true, "the outcome of renaming an account");
      equal(await named(r, "after"), { ...before, loginName: "after" }, "the account");
      equal(await named(r, "before"), null, "the account with the old name");
      const other = await unborn(r, "before");
      equal(await r.accounts.create(other, "like after"), "nameTaken", "the outcome of using the new confusable key");
      equal(await r.accounts.create(other, "like before"), "created", "the outcome of using the old name and key");
      for (const id of [await createUserObject(r), ...nobodies])
        equal(await r.accounts.change(id, renamed("nobody")), false, `the outcome of renaming "${id}"`);
    },

    "keeps the name or the confusable key if only the other one changes": async ({ r }) => {
      const { id } = await create(r, { loginName: "Demo" });
      for (const [loginName, key] of [
        ["Demo", "like Demo"],
        ["DEMO", "like Demo"],
        ["DEMO", "demo"],
      ] as const) {
        equal(await r.accounts.change(id, renamed(loginName, key)), true, `the outcome of renaming to ${loginName}`);
        equal((await named(r, loginName))?.id, id, "the account with the name");
      }
    },

    "refuses a new name that is taken or confusable with 307": async ({ r }) => {
      const [first, second] = [await create(r, { loginName: "first" }), await create(r, { loginName: "second" })];
      await failsWith(
        307,
        () => r.accounts.change(second.id, renamed("first", "a key")),
        "using the name of another account",
      );
      const takeKey = () => r.accounts.change(second.id, renamed("a name", "like first"));
      await failsWith(307, takeKey, "using the key of another account");
      equal([await named(r, "first"), await named(r, "second")], [first, second], "the accounts");
    },

    "gives a name to one of several concurrent renames": async ({ r }) => {
      const accounts = await concurrently(6, () => create(r));
      const codes = await Promise.all(
        accounts.map(({ id }, index) => codeOf(r.accounts.change(id, renamed(`Demo ${index}`, "demo")))),
      );
      equalCounts(codes, { 0: 1, 307: 5 }, "numbers of successful and refused renames");
    },

    "applies all changes of one call together or none of them": async ({ r }) => {
      const [before, other] = [await create(r, { loginName: "before" }), await create(r, { loginName: "other" })];
      const rest = { email: "after@example.com", disabled: true };
      await failsWith(
        307,
        () => r.accounts.change(before.id, { ...rest, ...renamed("other") }),
        "using the name of another account",
      );
      equal(await named(r, "before"), before, "the account to change");
      equal(await r.accounts.change(before.id, {}), true, "the outcome of changing nothing");
      equal(
        await r.accounts.change(before.id, { ...rest, ...renamed("after") }),
        true,
        "the outcome of changing everything",
      );
      equal(await named(r, "after"), { ...before, ...rest, loginName: "after" }, "the account");
      equal(await named(r, "other"), other, "another account");
    },

    "changes and removes the e-mail address": async ({ r }) => {
      const account = await create(r, { email: "first@example.com" });
      const bystander = await create(r, { email: "bystander@example.com" });
      const emails = ["Second@EXAMPLE.com", "bystander@example.com", null, null, "größe@例え.example"];
      for (const email of [...emails, "x".repeat(2_000), ...hostileTexts]) {
        equal(await r.accounts.change(account.id, { email }), true, "whether the account exists");
        equal(await accountOf(r, account.id), { ...account, email }, "the account");
      }
      equal(await accountOf(r, bystander.id), bystander, "another account");
      for (const id of nobodies)
        equal(await r.accounts.change(id, { email: null }), false, `whether account "${id}" exists`);
      for (const email of unstorableTexts) {
        await failsWith(307, () => r.accounts.change(bystander.id, { email }), "setting an address");
        const other = { ...(await unborn(r, "other")), email };
        await failsWith(307, () => r.accounts.create(other, "other"), "creating an account with an address");
      }
      equal(await accountOf(r, bystander.id), bystander, "the account");
    },

    "disables and enables accounts, and finds them in both states": async ({ r }) => {
      const [account, bystander] = [await create(r), await create(r)];
      for (const disabled of [true, true, false, false]) {
        equal(await r.accounts.change(account.id, { disabled }), true, "whether the account exists");
        equal(await accountOf(r, account.id), { ...account, disabled }, "the account");
        equal(await named(r, account.loginName), { ...account, disabled }, "the account with the name");
      }
      equal(await accountOf(r, bystander.id), bystander, "another account");
      for (const id of [await createUserObject(r), ...nobodies])
        equal(await r.accounts.change(id, { disabled: true }), false, `whether account "${id}" exists`);
    },

    "replaces a secret and increases its version": async ({ r }) => {
      const [before, bystander] = [await create(r), await create(r)];
      const outcome = await r.accounts.setSecret(before.id, "second secret", before.secretVersion);
      equal(outcome, "stored", "the outcome of setting a secret");
      const after = { ...before, secret: "second secret", secretVersion: before.secretVersion + 1 };
      equal(await accountOf(r, before.id), after, "the account");
      equal(await accountOf(r, bystander.id), bystander, "another account");
    },

    "keeps a secret if the expected version does not match": async ({ r }) => {
      const { id, secretVersion } = await create(r);
      await r.accounts.setSecret(id, "second secret", secretVersion);
      const current = await accountOf(r, id);
      for (const version of [secretVersion, secretVersion - 1, secretVersion + 7]) {
        const outcome = await r.accounts.setSecret(id, "third secret", version);
        equal(outcome, "stale", `the outcome of setting a secret over version ${version}`);
      }
      for (const unknownUser of [await createUserObject(r), ...nobodies])
        equal(
          await r.accounts.setSecret(unknownUser, "secret", 1),
          "stale",
          "the outcome of setting the secret of an unknown user",
        );
      equal(await accountOf(r, id), current, "the account");
    },

    "stores one secret when concurrent calls replace the same version": async ({ r }) => {
      const { id, secretVersion } = await create(r);
      const outcomes = await concurrently(12, (index) => r.accounts.setSecret(id, `secret ${index}`, secretVersion));
      equalCounts(outcomes, { stored: 1, stale: 11 }, "numbers of stored and refused secrets");
      equal((await accountOf(r, id))?.secret, `secret ${outcomes.indexOf("stored")}`, "the secret");
    },

    "stores one password hash when concurrent calls replace the same one": async ({ r }) => {
      const { id, secret } = await create(r);
      const outcomes = await concurrently(12, (index) => r.accounts.setSecret(id, `hash ${index}`, { secret }));
      equalCounts(outcomes, { stored: 1, stale: 11 }, "numbers of stored and refused hashes");
      equal((await accountOf(r, id))?.secret, `hash ${outcomes.indexOf("stored")}`, "the secret");
    },

    "replaces a password hash if the current hash matches, and keeps the version": async ({ r }) => {
      const [before, bystander] = [await create(r), await create(r)];
      const rehash = (id: string, secret: string) => r.accounts.setSecret(id, secret, { secret: before.secret });
      equal(await rehash(before.id, "the same, hashed again"), "stored", "the outcome of rehashing");
      equal(await accountOf(r, before.id), { ...before, secret: "the same, hashed again" }, "the account");
      equal(await rehash(before.id, "too late"), "stale", "the outcome of rehashing over a replaced secret");
      for (const id of nobodies)
        equal(await rehash(id, "nobody's"), "stale", "the outcome of rehashing for an unknown user");
      equal((await accountOf(r, before.id))?.secret, "the same, hashed again", "the secret");
      equal(await accountOf(r, bystander.id), bystander, "another account with the same secret");
    },

    "removes accounts and frees their names": async ({ r }) => {
      const [account, bystander] = [await create(r), await create(r)];
      for (const id of nobodies) equal(await r.accounts.remove([id]), 0, `number of accounts with ID "${id}"`);
      const outcomes = await concurrently(4, () => r.accounts.remove([account.id]));
      equalCounts(outcomes, { 1: 1, 0: 3 }, "numbers of successful and unsuccessful removals");
      equal([await accountOf(r, account.id), await named(r, account.loginName)], [null, null], "the account");
      equal(await accountOf(r, bystander.id), bystander, "another account");
      await create(r, { loginName: account.loginName });
    },

    "lists accounts page by page in code point order, without secrets": async ({ r }) => {
      equal(await r.accounts.list(realm, null, 10), [], "the list of an empty database");
      const accounts = new Map<string, object>();
      for (const loginName of shuffledNames) {
        const administrator = realm === "database" && loginName === "Z";
        const email = loginName === "Z" ? "z@example.com" : null;
        const account = await create(r, { loginName, email, administrator });
        const { secret: _secret, secretVersion: _version, ...listed } = account;
        const disabled = loginName === "aa";
        if (disabled) await r.accounts.change(listed.id, { disabled });
        accounts.set(loginName, { ...listed, disabled });
      }
      const expected = orderedNames.map((loginName) => accounts.get(loginName));
      equal(await r.accounts.list(realm, null, 100), expected, "the whole list");
      equal(await r.accounts.list(realm, null, 4), expected.slice(0, 4), "the first page");
      equal(await r.accounts.list(realm, "a", 3), expected.slice(4, 7), "a page in the middle");
      equal(await r.accounts.list(realm, "a-", 100), expected.slice(8), "the page after a name that does not exist");
    },

    "stores long and hostile names and secrets unchanged": async ({ r }) => {
      const [loginName, secret] = ["ü".repeat(1_024), "s".repeat(1_000)];
      for (const text of [...hostileTexts, loginName]) await create(r, { loginName: text, secret: `${text}${secret}` });
      for (const text of [...hostileTexts, loginName]) {
        const found = await named(r, text);
        equal([found?.loginName, found?.secret], [text, `${text}${secret}`], "the name and the secret");
      }
      equal(await named(r, "ü".repeat(1_023)), null, "the account with a shorter name");
    },
  };
  return Object.fromEntries(Object.entries(checks).map(([name, run]) => [of(name), run]));
}

export const accountChecks: readonly Check[] = checksOf(
  "accounts",
  checksOfRealm("database", (name) => name),
);

export const customAccountChecks: readonly Check[] = [
  ...checksOf(
    "custom accounts",
    checksOfRealm("custom", (name) => `${name} (custom accounts)`),
  ),
  ...checksOf("custom accounts", {
    "keeps the names of custom accounts separate from those of database users": async ({ r }) => {
      const user = await createUser(r, { loginName: "Ada", secret: "a user's" });
      const custom = () => r.accounts.find({ realm: "custom", loginName: "Ada" }, []);
      equal(await custom(), nothing, "the result for the name of a database user");
      const account = await createCustomAccount(r, { loginName: "Ada", userId: user.userId });
      equal((await custom()).account, account, "the custom account");
      const found = await r.accounts.find({ realm: "database", loginName: "Ada" }, []);
      equal([found.account, found.decoy], [user, "a user's"], "the account of the database user");
    },

    "allows several custom accounts for one user": async ({ r }) => {
      const userId = await createUserObject(r);
      const accounts = [await createCustomAccount(r, { userId }), await createCustomAccount(r, { userId })];
      for (const account of accounts) equal(await accountOf(r, account.id), account, "the account");
    },

    "maps a custom account to another user with a new version, and leaves database accounts unchanged": async ({
      r,
    }) => {
      const [account, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
      const [userId, user] = [await createUserObject(r), await createUser(r)];
      equal(await r.accounts.change(account.id, { userId }), true, "the outcome of mapping an account");
      const mapped = { ...account, userId, secretVersion: account.secretVersion + 1 };
      equal(await accountOf(r, account.id), mapped, "the account");
      equal(await accountOf(r, bystander.id), bystander, "another account");
      for (const id of [user.id, ...nobodies])
        equal(
          await r.accounts.change(id, { userId, email: "new@example.com" }),
          false,
          `the outcome of mapping "${id}"`,
        );
      equal(await accountOf(r, user.id), user, "the account of a database user");
    },
  }),
];

import { maximumObjectBytes, seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed, createUser, createUserObject } from "../fixtures/accounts.ts";
import { atOnce, occurrences } from "../fixtures/at-once.ts";
import { codeOf } from "../fixtures/error-of.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { orderedNames, shuffledNames } from "../fixtures/ordered-names.ts";

export const accountChecks: readonly Check[] = checksOf("accounts", {
  "keeps an account as it was created, enabled": async ({ r }) => {
    for (const administrator of [false, true]) {
      const userId = await createUserObject(r);
      const account = { userId, loginName: `user ${userId}`, secret: `secret of ${userId}`, administrator };
      equal(await r.accounts.create(account, `key ${userId}`), "created", "creating an account");
      const found = await accountNamed(r, account.loginName);
      holds(found !== null && Number.isSafeInteger(found.secretVersion), "The version of the secret is a whole number");
      const rest = { id: userId, secretVersion: found.secretVersion, disabled: false, email: null };
      equal(found, { ...account, ...rest }, "the account");
    }
  },

  "finds nobody under names that nobody can have": async ({ r }) => {
    for (const loginName of ["demo", "\ufffd", "demo\ufffd"]) await createUser(r, { loginName });
    for (const name of [...hostileTexts, ...unstorableTexts, "x".repeat(100_000)]) {
      equal(await accountNamed(r, name), null, `the account named ${JSON.stringify(name.slice(0, 100))}`);
    }
  },

  "refuses a login name that is taken": async ({ r }) => {
    const { loginName } = await createUser(r);
    const userId = await createUserObject(r);
    const outcome = await r.accounts.create({ userId, loginName, secret: "", administrator: true }, "another key");
    equal(outcome, "nameTaken", "the same name again");
  },

  "refuses a login name that is confusable with another": async ({ r }) => {
    const { loginName } = await createUser(r);
    const userId = await createUserObject(r);
    const outcome = await r.accounts.create(
      { userId, loginName: "another", secret: "", administrator: true },
      `like ${loginName}`,
    );
    equal(outcome, "nameTaken", "the same confusable key again");
  },

  "refuses a second account for one user": async ({ r }) => {
    const { userId } = await createUser(r);
    const outcome = await r.accounts.create(
      { userId, loginName: "another", secret: "", administrator: true },
      "another key",
    );
    equal(outcome, "nameTaken", "the same user again");
  },

  "changes nothing when it refuses an account": async ({ r }) => {
    const first = await createUser(r);
    const userId = await createUserObject(r);
    const create = (id: string, loginName: string, key: string) =>
      r.accounts.create({ userId: id, loginName, secret: "another", administrator: true }, key);
    await create(userId, first.loginName, "another key");
    await create(userId, "another name", `like ${first.loginName}`);
    await create(first.userId, "another name", "another key");
    equal(await accountNamed(r, first.loginName), first, "the account that was there");
    equal(await accountNamed(r, "another name"), null, "the account that was refused");
    equal(await create(userId, "another name", "another key"), "created", "what was free all the time");
  },

  "creates one account of those that want one name at once": async ({ r }) => {
    const users = await atOnce(8, () => createUserObject(r));
    const outcomes = await Promise.all(
      users.map((userId, index) =>
        r.accounts.create({ userId, loginName: `Demo ${index}`, secret: userId, administrator: false }, "demo"),
      ),
    );
    equal(occurrences("created", outcomes), 1, "how many were created");
    equal(occurrences("nameTaken", outcomes), 7, "how many were refused");
    const found = await atOnce(8, (index) => accountNamed(r, `Demo ${index}`));
    equal(
      found.map((account) => account !== null),
      outcomes.map((outcome) => outcome === "created"),
      "which accounts exist",
    );
  },

  "finds an account by its new name alone, the rest of it unchanged": async ({ r }) => {
    const before = await createUser(r, { loginName: "before", administrator: true });
    equal(
      await r.accounts.change(before.userId, { name: { loginName: "after", confusableKey: "like after" } }),
      true,
      "renaming an account",
    );
    equal(await accountNamed(r, "after"), { ...before, loginName: "after" }, "the account");
    equal(await accountNamed(r, "before"), null, "the account of the old name");
    const other = { userId: await createUserObject(r), loginName: "before", secret: "", administrator: false };
    equal(await r.accounts.create(other, "like after"), "nameTaken", "taking the new confusable key");
    equal(await r.accounts.create(other, "like before"), "created", "taking the old name and key");
    equal(
      await r.accounts.change(await createUserObject(r), { name: { loginName: "nobody", confusableKey: "nobody" } }),
      false,
      "renaming a user without an account",
    );
    for (const id of ["ZZZZZZZZZZ", "", "constructor"])
      equal(
        await r.accounts.change(id, { name: { loginName: "nobody", confusableKey: "nobody" } }),
        false,
        `renaming "${id}"`,
      );
  },

  "lets an account keep its name or its key when the other one changes": async ({ r }) => {
    const { userId } = await createUser(r, { loginName: "Demo" });
    for (const [loginName, key] of [
      ["Demo", "like Demo"],
      ["DEMO", "like Demo"],
      ["DEMO", "demo"],
    ] as const) {
      equal(
        await r.accounts.change(userId, { name: { loginName, confusableKey: key } }),
        true,
        `renaming to ${loginName}`,
      );
      equal((await accountNamed(r, loginName))?.userId, userId, "the user of the account");
    }
  },

  "refuses with 307 a new name that is another's or confusable with it": async ({ r }) => {
    const [first, second] = [await createUser(r, { loginName: "first" }), await createUser(r, { loginName: "second" })];
    await failsWith(
      307,
      () => r.accounts.change(second.userId, { name: { loginName: "first", confusableKey: "a key" } }),
      "taking the name of another",
    );
    await failsWith(
      307,
      () => r.accounts.change(second.userId, { name: { loginName: "a name", confusableKey: "like first" } }),
      "taking the key of another",
    );
    equal([await accountNamed(r, "first"), await accountNamed(r, "second")], [first, second], "the accounts");
  },

  "gives a name to one of those who want it at once": async ({ r }) => {
    const users = await atOnce(6, () => createUser(r));
    const codes = await Promise.all(
      users.map(({ userId }, index) =>
        codeOf(r.accounts.change(userId, { name: { loginName: `Demo ${index}`, confusableKey: "demo" } })),
      ),
    );
    equal([occurrences(0, codes), occurrences(307, codes)], [1, 5], "how many got it and how many were refused");
  },

  "changes all that is given together, or nothing of it": async ({ r }) => {
    const [before, other] = [await createUser(r, { loginName: "before" }), await createUser(r, { loginName: "other" })];
    const rest = { email: "after@example.com", disabled: true };
    const renamed = (loginName: string) => ({ ...rest, name: { loginName, confusableKey: `like ${loginName}` } });
    await failsWith(307, () => r.accounts.change(before.id, renamed("other")), "taking the name of another");
    equal(await r.accounts.change(before.id, { ...rest, userId: other.userId }), false, "mapping a database user");
    equal(await accountNamed(r, "before"), before, "the account that was to be changed");
    equal(await r.accounts.change(before.id, {}), true, "changing nothing");
    equal(await r.accounts.change(before.id, renamed("after")), true, "changing everything");
    equal(await accountNamed(r, "after"), { ...before, ...rest, loginName: "after" }, "the account");
    equal(await accountNamed(r, "other"), other, "another account");
  },

  "replaces a secret and raises its version": async ({ r }) => {
    const before = await createUser(r, { administrator: true });
    equal(
      await r.accounts.setSecret(before.userId, "second secret", before.secretVersion),
      "stored",
      "setting a secret",
    );
    const after = await accountNamed(r, before.loginName);
    holds(after !== null && after.secretVersion > before.secretVersion, "A new secret has a higher version");
    equal(after, { ...before, secret: "second secret", secretVersion: after.secretVersion }, "the account");
  },

  "leaves a secret alone whose version is not the one expected": async ({ r }) => {
    const { userId, loginName, secretVersion } = await createUser(r);
    await r.accounts.setSecret(userId, "second secret", secretVersion);
    const current = await accountNamed(r, loginName);
    holds(current !== null, "The account is gone");
    for (const version of [secretVersion, secretVersion - 1, current.secretVersion + 1]) {
      equal(
        await r.accounts.setSecret(userId, "third secret", version),
        "stale",
        `setting a secret over version ${version}`,
      );
    }
    equal(await accountNamed(r, loginName), current, "the account");
  },

  "has no secret to replace for a user without an account": async ({ r }) => {
    const userId = await createUserObject(r);
    for (const id of [userId, "ZZZZZZZZZZ"])
      equal(await r.accounts.setSecret(id, "secret", 1), "stale", "setting a secret");
  },

  "stores one secret of those that replace the same version at once": async ({ r }) => {
    const { userId, loginName, secretVersion } = await createUser(r);
    const outcomes = await atOnce(12, (index) => r.accounts.setSecret(userId, `secret ${index}`, secretVersion));
    equal(occurrences("stored", outcomes), 1, "how many were stored");
    equal(occurrences("stale", outcomes), 11, "how many were stale");
    equal((await accountNamed(r, loginName))?.secret, `secret ${outcomes.indexOf("stored")}`, "the secret");
  },

  "puts another hash of a password in the place of the one given, and keeps the version": async ({ r }) => {
    const before = await createUser(r);
    const bystander = await createUser(r);
    equal(await r.accounts.rehash(before.userId, before.secret, "the same, hashed anew"), "stored", "hashing anew");
    equal(await accountNamed(r, before.loginName), { ...before, secret: "the same, hashed anew" }, "the account");
    equal(
      await r.accounts.rehash(before.userId, before.secret, "too late"),
      "stale",
      "hashing anew over a secret that is gone",
    );
    equal(
      await r.accounts.rehash("ZZZZZZZZZZ", before.secret, "nobody's"),
      "stale",
      "hashing anew for a user without an account",
    );
    equal((await accountNamed(r, before.loginName))?.secret, "the same, hashed anew", "the secret");
    equal(await accountNamed(r, bystander.loginName), bystander, "another account with the same secret");
  },

  "finds for a proof the account by exactly its name": async ({ r }) => {
    equal(
      await r.accounts.find({ realm: "database", loginName: "nobody" }, ["Groups"]),
      { account: null, user: null, linked: [], decoy: null, link: null },
      "what is found in an empty database",
    );
    const user = await createUser(r, { loginName: "René", secret: "the only one" });
    for (const name of [
      "rené",
      "RENÉ",
      "Rene\u0301",
      "Rene",
      "René ",
      " René",
      "Ren%",
      "Ren_",
      "",
      "like René",
      ...unstorableTexts,
    ]) {
      equal(
        await r.accounts.find({ realm: "database", loginName: name }, ["Groups"]),
        { account: null, user: null, linked: [], decoy: "the only one", link: null },
        `what is found for ${JSON.stringify(name)}`,
      );
    }
    const found = await r.accounts.find({ realm: "database", loginName: "René" }, []);
    equal(found.account, user, "the account");
    equal([found.user], await r.objects.get([user.userId], seesAll), "the user object");
  },

  "finds for a proof what the links of the user object point to": async ({ r }) => {
    const inserted = await r.objects.insert(
      ["one", "two", "three", "four"].map((name) => ({
        className: "UserGroup",
        attributes: { Name: name },
        readers: name === "two" ? ["1"] : null,
      })),
    );
    const [one, two, three, four] = inserted.map(({ id }) => id) as [string, string, string, string];
    const attributes = {
      Groups: [one, two, one, "ZZZZZZZZZZ", "no id", `${three},${four}`, `"${four}"`, "", null, 7],
      Employee: three,
      Other: [four],
      Name: '["]',
      Count: 7,
      Nothing: null,
    };
    const [user] = await r.objects.insert([{ className: "User", attributes }]);
    await r.accounts.create(
      { userId: user?.id ?? "", loginName: "linked", secret: "", administrator: false },
      "linked",
    );
    const linkedBy = async (...links: string[]) =>
      (await r.accounts.find({ realm: "database", loginName: "linked" }, links)).linked;
    equalInAnyOrder(
      await linkedBy("Groups", "Employee"),
      await r.objects.get([one, two, three], seesAll),
      "what groups and employee point to",
    );
    equal(await linkedBy("Employee"), await r.objects.get([three], seesAll), "what the employee points to");
    equal(await linkedBy("Name", "Count", "Nothing", "unknown", "toString", "Employe"), [], "what points to nothing");
    equal(await linkedBy(), [], "what no link points to");
  },

  "finds for a proof nothing of what takes too much together": async ({ r }) => {
    const inserted = await r.objects.insert(
      ["one", "two", "three"].map((Name) => ({
        className: "UserGroup",
        attributes: { Name, Text: "x".repeat(maximumObjectBytes / 2) },
      })),
    );
    const Groups = inserted.map(({ id }) => id);
    const [user] = await r.objects.insert([{ className: "User", attributes: { Groups, Employee: Groups[0] ?? null } }]);
    await r.accounts.create(
      { userId: user?.id ?? "", loginName: "linked", secret: "", administrator: false },
      "linked",
    );
    const { user: found, linked } = await r.accounts.find({ realm: "database", loginName: "linked" }, ["Groups"]);
    equal([found, linked], [user, []], "the user object and its groups");
    equal(
      (await r.accounts.find({ realm: "database", loginName: "linked" }, ["Employee"])).linked,
      [inserted[0]],
      "the employee",
    );
  },

  "gives for a proof the secret of the next account by name as decoy": async ({ r }) => {
    for (const loginName of ["b", "d", "\u{1f511}", "ü"])
      await createUser(r, { loginName, secret: `secret of ${loginName}` });
    const decoys = [
      ["a", "b"],
      ["b", "d"],
      ["c", "d"],
      ["D", "b"],
      ["e", "ü"],
      ["ü", "\u{1f511}"],
      ["\u{1f511}", "b"],
      ["\u{1f600}", "b"],
    ] as const;
    for (const [name, next] of decoys)
      equal(
        (await r.accounts.find({ realm: "database", loginName: name }, [])).decoy,
        `secret of ${next}`,
        `the decoy of ${name}`,
      );
  },

  "disables and enables an account, and finds it either way": async ({ r }) => {
    const account = await createUser(r);
    const bystander = await createUser(r);
    for (const disabled of [true, true, false, false]) {
      equal(await r.accounts.change(account.userId, { disabled }), true, "whether there is an account");
      equal(await accountNamed(r, account.loginName), { ...account, disabled }, "the account");
    }
    equal(await accountNamed(r, bystander.loginName), bystander, "another account");
  },

  "has nothing to disable for a user without an account": async ({ r }) => {
    const userId = await createUserObject(r);
    for (const id of [userId, "ZZZZZZZZZZ"])
      equal(await r.accounts.change(id, { disabled: true }), false, "whether there is an account");
  },

  "lists accounts by code points, part by part, and nothing that opens them": async ({ r }) => {
    equal(await r.accounts.list("database", null, 10), [], "the list of an empty database");
    const ids = new Map<string, string>();
    for (const loginName of shuffledNames) {
      const { userId } = await createUser(r, {
        loginName,
        administrator: loginName === "Z",
        email: loginName === "Z" ? "z@example.com" : null,
      });
      ids.set(loginName, userId);
    }
    await r.accounts.change(ids.get("aa") as string, { disabled: true });
    const expected = orderedNames.map((loginName) => {
      return {
        id: ids.get(loginName),
        userId: ids.get(loginName),
        loginName,
        administrator: loginName === "Z",
        disabled: loginName === "aa",
        email: loginName === "Z" ? "z@example.com" : null,
      };
    });
    equal(await r.accounts.list("database", null, 100), expected, "the whole list");
    equal(await r.accounts.list("database", null, 4), expected.slice(0, 4), "the first part");
    equal(await r.accounts.list("database", "a", 3), expected.slice(4, 7), "a part in the middle");
    equal(
      await r.accounts.list("database", "a-", 100),
      expected.slice(5),
      "what comes after a name that does not exist",
    );
  },

  "keeps long names and secrets whole": async ({ r }) => {
    const [loginName, secret] = ["ü".repeat(1_024), "s".repeat(1_000)];
    const { userId } = await createUser(r, { loginName, secret });
    const found = await accountNamed(r, loginName);
    equal([found?.userId, found?.secret], [userId, secret], "user and secret");
    equal(await accountNamed(r, "ü".repeat(1_023)), null, "the account of a shorter name");
  },

  "keeps the hostile texts of an account as they are": async ({ r }) => {
    for (const text of hostileTexts) await createUser(r, { loginName: text, secret: text });
    for (const text of hostileTexts) {
      const found = await accountNamed(r, text);
      equal([found?.loginName, found?.secret], [text, text], "name and secret");
    }
  },
});

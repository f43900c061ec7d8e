import { randomUUID } from "node:crypto";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences } from "../../fixtures/at-once.ts";
import { accountOf, createCustomAccount, createUser, createUserObject } from "../../fixtures/accounts.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { orderedNames, shuffledNames } from "../../fixtures/ordered-names.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

const nothing = { account: null, user: null, linked: [], decoy: null, link: null };

export const customAccountKeepingChecks: readonly Check[] = checksOf("custom accounts", {
  "are kept as they were created, enabled, and found by name and by id": async ({ r }) => {
    for (const email of [null, "ada@example.com"]) {
      const account = {
        id: randomUUID(),
        loginName: `Ada ${email}`,
        userId: await createUserObject(r),
        email,
        secret: `secret of ${email}`,
      };
      equal(await r.accounts.create(account, `key ${email}`), "created", "creating an account");
      const found = await accountOf(r, account.id);
      holds(found !== null && Number.isSafeInteger(found.secretVersion), "The version of the secret is a whole number");
      equal(
        found,
        { ...account, secretVersion: found.secretVersion, administrator: false, disabled: false },
        "the account of an id",
      );
      equal(
        (await r.accounts.find({ realm: "custom", loginName: account.loginName }, [])).account,
        found,
        "the account of a name",
      );
    }
  },

  "are found by exactly their names, and nobody under names that nobody can have": async ({ r }) => {
    equal(
      await r.accounts.find({ realm: "custom", loginName: "nobody" }, []),
      { ...nothing, decoy: null },
      "what is found in an empty database",
    );
    const account = await createCustomAccount(r, { loginName: "Ren\u00e9", secret: "the only one" });
    for (const loginName of ["demo", "\ufffd", "demo\ufffd"])
      await createCustomAccount(r, { loginName, secret: "the only one" });
    const others = [
      "ren\u00e9",
      "Rene\u0301",
      "Rene",
      "Ren\u00e9 ",
      " Ren\u00e9",
      "Ren%",
      "",
      "like Ren\u00e9",
      "x".repeat(100_000),
    ];
    for (const name of [...others, ...hostileTexts, ...unstorableTexts]) {
      equal(
        await r.accounts.find({ realm: "custom", loginName: name }, []),
        { ...nothing, decoy: "the only one" },
        `what is found for ${JSON.stringify(name.slice(0, 100))}`,
      );
    }
    equal((await r.accounts.find({ realm: "custom", loginName: "Ren\u00e9" }, [])).account, account, "the account");
    const ids = [nobody, "", "1", ...hostileTexts, ...unstorableTexts];
    for (const id of ids) equal(await accountOf(r, id), null, `the account with the id ${JSON.stringify(id)}`);
  },

  "give for a proof the secret of the next account by name as decoy": async ({ r }) => {
    for (const loginName of ["b", "d", "\u{1f511}", "ü"])
      await createCustomAccount(r, { loginName, secret: `secret of ${loginName}` });
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
        (await r.accounts.find({ realm: "custom", loginName: name }, [])).decoy,
        `secret of ${next}`,
        `the decoy of ${name}`,
      );
  },

  "know nothing of the names of database users": async ({ r }) => {
    const user = await createUser(r, { loginName: "Ada", secret: "a user's" });
    equal(
      await r.accounts.find({ realm: "custom", loginName: "Ada" }, []),
      { ...nothing, decoy: null },
      "what is found of a database user",
    );
    const account = await createCustomAccount(r, { loginName: "Ada", userId: user.userId });
    equal((await r.accounts.find({ realm: "custom", loginName: "Ada" }, [])).account, account, "the custom account");
    const found = await r.accounts.find({ realm: "database", loginName: "Ada" }, []);
    equal([found.account, found.decoy], [user, "a user's"], "the account of the database user");
  },

  "can be several of one user": async ({ r }) => {
    const userId = await createUserObject(r);
    const accounts = [await createCustomAccount(r, { userId }), await createCustomAccount(r, { userId })];
    for (const account of accounts) equal(await accountOf(r, account.id), account, "the account");
  },

  "are refused under a name, a confusable key or an id that is taken, and nothing changes": async ({ r }) => {
    const first = await createCustomAccount(r, { loginName: "Ada" });
    const other = { id: randomUUID(), loginName: "Grace", userId: first.userId, email: null, secret: "another" };
    equal(await r.accounts.create({ ...other, loginName: "Ada" }, "another key"), "nameTaken", "the same name again");
    equal(await r.accounts.create(other, "like Ada"), "nameTaken", "the same key again");
    equal(await r.accounts.create({ ...other, id: first.id }, "another key"), "nameTaken", "the same id again");
    equal(await accountOf(r, first.id), first, "the account that was there");
    equal(
      [await accountOf(r, other.id), (await r.accounts.find({ realm: "custom", loginName: "Grace" }, [])).account],
      [null, null],
      "the account that was refused",
    );
    equal(await r.accounts.create(other, "another key"), "created", "what was free all the time");
  },

  "are created by one of those who want one name at once": async ({ r }) => {
    const userId = await createUserObject(r);
    const ids = Array.from({ length: 8 }, () => randomUUID());
    const create = (id: string, index: number) =>
      r.accounts.create({ id, loginName: `Ada ${index}`, userId, email: null, secret: "" }, "ada");
    const outcomes = await Promise.all(ids.map(create));
    equal(
      [occurrences("created", outcomes), occurrences("nameTaken", outcomes)],
      [1, 7],
      "how many were created, and how many refused",
    );
    const found = await Promise.all(ids.map((id) => accountOf(r, id)));
    equal(
      found.map((account) => account !== null),
      outcomes.map((outcome) => outcome === "created"),
      "which accounts exist",
    );
  },

  "get another e-mail address, or none": async ({ r }) => {
    const [account, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    for (const email of ["ada@example.com", "ada@example.com", null]) {
      equal(await r.accounts.change(account.id, { email }), true, "whether there is an account");
      equal(await accountOf(r, account.id), { ...account, email }, "the account");
    }
    equal(await accountOf(r, bystander.id), bystander, "another account");
    for (const id of [nobody, "", "constructor"])
      equal(await r.accounts.change(id, { email: null }), false, `whether there is an account "${id}"`);
  },

  "are mapped to another user, with another version": async ({ r }) => {
    const [account, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    const userId = await createUserObject(r);
    equal(await r.accounts.change(account.id, { userId }), true, "mapping an account");
    const mapped = await accountOf(r, account.id);
    holds(
      mapped !== null && mapped.secretVersion > account.secretVersion,
      "An account that was mapped to another user has a higher version",
    );
    equal(mapped, { ...account, userId, secretVersion: mapped.secretVersion }, "the account");
    equal(await accountOf(r, bystander.id), bystander, "another account");
    for (const id of [nobody, "", "constructor"])
      equal(await r.accounts.change(id, { userId }), false, `whether there is an account "${id}"`);
  },

  "are disabled and enabled, and found either way": async ({ r }) => {
    const [account, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    for (const disabled of [true, true, false, false]) {
      equal(await r.accounts.change(account.id, { disabled }), true, "whether there is an account");
      equal(await accountOf(r, account.id), { ...account, disabled }, "the account");
      equal(
        (await r.accounts.find({ realm: "custom", loginName: account.loginName }, [])).account,
        { ...account, disabled },
        "the account of the name",
      );
    }
    equal(await accountOf(r, bystander.id), bystander, "another account");
    for (const id of [nobody, "", "constructor"])
      equal(await r.accounts.change(id, { disabled: true }), false, `whether there is an account "${id}"`);
  },

  "are gone when they were removed, and their names are free": async ({ r }) => {
    const [account, bystander] = [await createCustomAccount(r), await createCustomAccount(r)];
    for (const id of [nobody, "", "constructor"])
      equal(await r.accounts.remove([id]), 0, `how many accounts "${id}" there are`);
    const outcomes = await atOnce(4, () => r.accounts.remove([account.id]));
    equal([occurrences(1, outcomes), occurrences(0, outcomes)], [1, 3], "how many have removed it");
    equal(
      [
        await accountOf(r, account.id),
        (await r.accounts.find({ realm: "custom", loginName: account.loginName }, [])).account,
      ],
      [null, null],
      "the account",
    );
    equal(await accountOf(r, bystander.id), bystander, "another account");
    await createCustomAccount(r, { loginName: account.loginName });
  },

  "are listed by code points, part by part, and nothing that opens them": async ({ r }) => {
    equal(await r.accounts.list("custom", null, 10), [], "the list of an empty database");
    const accounts = new Map<string, object>();
    for (const loginName of shuffledNames) {
      const email = `${loginName.length}@example.com`;
      const { id, userId } = await createCustomAccount(r, { loginName, email });
      accounts.set(loginName, { id, loginName, userId, email, administrator: false, disabled: false });
    }
    const expected = orderedNames.map((loginName) => accounts.get(loginName));
    equal(await r.accounts.list("custom", null, 100), expected, "the whole list");
    equal(await r.accounts.list("custom", null, 4), expected.slice(0, 4), "the first part");
    equal(await r.accounts.list("custom", "a", 3), expected.slice(4, 7), "a part in the middle");
    equal(await r.accounts.list("custom", "a-", 100), expected.slice(5), "what comes after a name that does not exist");
  },

  "keep long and hostile names, secrets and addresses whole": async ({ r }) => {
    for (const text of [...hostileTexts, "ü".repeat(1_000)]) {
      const account = await createCustomAccount(r, { loginName: text, secret: `${text} secret`, email: text });
      equal([account.loginName, account.secret, account.email], [text, `${text} secret`, text], "the account");
      equal(
        (await r.accounts.find({ realm: "custom", loginName: text }, [])).account,
        account,
        "the account of the name",
      );
    }
  },
});

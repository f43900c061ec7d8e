import { seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { accountNamed, createUser, createUserObject } from "../fixtures/accounts.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";
import { createLink, removeLink } from "../fixtures/new-link.ts";

export const accountFindingChecks: readonly Check[] = checksOf("accounts", {
  "are found by their user, with what his object points to, as for a proof": async ({ r }) => {
    const [one, two] = await r.objects.insert(
      ["one", "two"].map((Name) => ({
        className: "UserGroup",
        attributes: { Name },
        readers: Name === "two" ? ["1"] : null,
      })),
    );
    const attributes = { Groups: [one?.id ?? "", two?.id ?? "", one?.id ?? "", "ZZZZZZZZZZ"], Employee: one?.id ?? "" };
    const account = await createUser(r, {
      loginName: "found",
      email: "found@example.com",
      administrator: true,
      attributes,
    });
    await createUser(r);
    for (const disabled of [false, true]) {
      await r.accounts.change(account.userId, { disabled });
      for (const links of [[], ["Groups"], ["Employee", "Groups", "unknown"]]) {
        const {
          decoy: _decoy,
          linked,
          ...proven
        } = await r.accounts.find({ realm: "database", loginName: "found" }, links);
        const { decoy: none, linked: found, ...rest } = await r.accounts.find({ id: account.userId }, links);
        equal(none, null, "a decoy for a known id");
        equal(rest, proven, "account and user");
        equal(rest.account, { ...account, disabled }, "the account");
        equalInAnyOrder(found, linked, "what the user object points to");
      }
    }
  },

  "are not found by a user who has none": async ({ r }) => {
    await createUser(r);
    const nothing = { account: null, user: null, linked: [], decoy: null, link: null };
    const stranger = await createUserObject(r, { Groups: [await createUserObject(r)] });
    for (const id of [stranger, "ZZZZZZZZZZ", "", "0", "constructor", "1;"]) {
      equal(await r.accounts.find({ id }, ["Groups"]), nothing, `what is found of the user "${id}"`);
    }
    const [group] = await r.objects.insert([{ className: "UserGroup", attributes: { Name: "lone" } }]);
    await r.accounts.create(
      { userId: "ZZZZZZ", loginName: "without an object", secret: "", administrator: false },
      "without an object",
    );
    const { account, user, linked } = await r.accounts.find({ id: "ZZZZZZ" }, ["Groups"]);
    equal(
      [account?.loginName, user, linked],
      ["without an object", null, []],
      "an account whose user object is not there",
    );
    equal((await r.objects.get([group?.id ?? ""], seesAll)).length, 1, "how many groups there are");
  },

  "are found by what is bound to their user, with the link": async ({ r }) => {
    const [one, two] = await r.objects.insert(
      ["one", "two"].map((Name) => ({ className: "UserGroup", attributes: { Name } })),
    );
    const attributes = { Groups: [one?.id ?? "", two?.id ?? "", "ZZZZZZZZZZ"], Employee: one?.id ?? "" };
    const account = await createUser(r, { email: "found@example.com", attributes });
    const bystander = await createUser(r, { attributes: { Groups: [one?.id ?? ""] } });
    const own = await createLink(r, {
      userId: account.userId,
      subject: "Abc",
      shared: true,
      email: "at@provider.example",
      displayName: "Some Body",
    });
    await createLink(r, { userId: bystander.userId, subject: "abc" });
    await createLink(r, { userId: bystander.userId, subject: "Abc", issuer: "https://other.example" });
    for (const disabled of [false, true]) {
      await r.accounts.change(account.userId, { disabled });
      for (const links of [[], ["Groups"], ["Employee", "Groups", "unknown"]]) {
        const { link, linked, ...rest } = await r.accounts.find({ linkId: own.id }, links);
        const { link: _link, linked: expected, ...known } = await r.accounts.find({ id: account.userId }, links);
        equal(link, own, "the link");
        equal(rest, known, "account and user");
        equal(rest.account, { ...account, disabled }, "the account");
        equalInAnyOrder(linked, expected, "what the user object points to");
      }
    }
  },

  "are not found by what is bound to nobody": async ({ r }) => {
    const account = await createUser(r);
    const link = await createLink(r, { userId: account.userId });
    const nothing = { account: null, user: null, linked: [], decoy: null, link: null };
    const ids = [link.value.id, link.id.toUpperCase(), `${link.id} `, link.id.slice(1), "", ...unstorableTexts];
    for (const id of ids)
      equal(await r.accounts.find({ linkId: id }, ["Groups"]), nothing, `what is found by the link "${id}"`);
    await r.records.put("identityLinks", "of another kind", link.value);
    equal(
      await r.accounts.find({ linkId: "of another kind" }, []),
      nothing,
      "what is found by a record of another kind",
    );
    const lost = await createLink(r, {
      userId: await createUserObject(r, { Groups: [account.userId] }),
      subject: "without an account",
    });
    equal(
      await r.accounts.find({ linkId: lost.id }, ["Groups"]),
      { ...nothing, link: lost },
      "what is found of a user without an account",
    );
    await removeLink(r, link);
    equal(await r.accounts.find({ linkId: link.id }, []), nothing, "what is found when the link is gone");
  },

  "keep the address that they were created with or were given, or none": async ({ r }) => {
    const bystander = await createUser(r, { email: "bystander@example.com" });
    const account = await createUser(r, { email: "first@example.com" });
    equal((await accountNamed(r, account.loginName))?.email, "first@example.com", "the address");
    for (const email of [
      "second@example.com",
      "Second@EXAMPLE.com",
      null,
      null,
      "größe@例え.example",
      "x".repeat(2_000),
      ...hostileTexts,
    ]) {
      equal(await r.accounts.change(account.userId, { email }), true, "whether there is an account");
      equal(await accountNamed(r, account.loginName), { ...account, email }, "the account");
    }
    await r.accounts.change(account.userId, { email: "bystander@example.com" });
    equal(await accountNamed(r, bystander.loginName), bystander, "another account, with the same address");
    for (const id of [await createUserObject(r), "ZZZZZZZZZZ", ""])
      equal(await r.accounts.change(id, { email: "nobody@example.com" }), false, "whether there is an account");
  },

  "are given no address that cannot be stored": async ({ r }) => {
    const account = await createUser(r, { email: "first@example.com" });
    for (const email of unstorableTexts) {
      await failsWith(307, () => r.accounts.change(account.userId, { email }), "giving the address");
      await failsWith(
        307,
        () => r.accounts.create({ ...account, userId: "ZZZ", loginName: "other", email }, "other"),
        "creating an account with the address",
      );
    }
    equal(await accountNamed(r, account.loginName), account, "the account");
  },
});

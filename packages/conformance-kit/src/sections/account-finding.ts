import { maximumObjectBytes, seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { idsOf } from "../fixtures/objects.ts";
import { createUser, createUserObject } from "../fixtures/accounts.ts";
import { unstorableTexts } from "../fixtures/hostile-texts.ts";
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
    const [one, two, three, four] = idsOf(inserted) as [string, string, string, string];
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
    const Groups = idsOf(inserted);
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

  "refuses a second account for one user": async ({ r }) => {
    const { userId } = await createUser(r);
    const outcome = await r.accounts.create(
      { userId, loginName: "another", secret: "", administrator: true },
      "another key",
    );
    equal(outcome, "nameTaken", "the same user again");
  },
});

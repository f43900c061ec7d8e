import {
  type Account,
  type AccountSelector,
  type Attributes,
  type FoundAccount,
  maximumObjectBytes,
  type Repositories,
  seesAll,
  type StoredObject,
} from "@sallyport/storage";
import { equal, equalInAnyOrder } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { idsOf, objectOf } from "../fixtures/objects.ts";
import { createUser, createUserObject } from "../fixtures/accounts.ts";
import { unstorableTexts } from "../fixtures/hostile-texts.ts";
import { createLink, removeLink } from "../fixtures/new-link.ts";

const nothing = { account: null, user: null, linked: [], decoy: null, link: null };

/** Creates groups with these names. The group "two" has a single reader. */
function createGroups(r: Repositories, names: readonly string[], others: Attributes = {}): Promise<StoredObject[]> {
  return r.objects.insert(
    names.map((Name) => ({
      className: "UserGroup",
      attributes: { Name, ...others },
      readers: Name === "two" ? ["1"] : null,
    })),
  );
}

const findNamed = (r: Repositories, loginName: string, links: readonly string[]) =>
  r.accounts.find({ realm: "database", loginName }, links);

/** Asserts that a look-up by key equals the look-up by account id, plus `own`, which only the key returns. */
async function assertFoundBy(
  r: Repositories,
  account: Account,
  key: AccountSelector,
  own: Partial<FoundAccount>,
): Promise<void> {
  for (const disabled of [false, true]) {
    await r.accounts.change(account.userId, { disabled });
    for (const links of [[], ["Groups"], ["Employee", "Groups", "unknown"]]) {
      const { linked, ...found } = await r.accounts.find(key, links);
      const { linked: expected, ...known } = await r.accounts.find({ id: account.userId }, links);
      equal([known.account, known.decoy, known.link], [{ ...account, disabled }, null, null], "the user found by ID");
      equal(found, { ...known, ...own }, "the account and its user");
      equalInAnyOrder(linked, expected, "the links of the user object");
    }
  }
}

export const accountFindingChecks: readonly Check[] = checksOf("accounts", {
  "finds the account of a user with the linked objects, as in a password proof": async ({ r }) => {
    const [one = "", two = ""] = idsOf(await createGroups(r, ["one", "two"]));
    const attributes = { Groups: [one, two, one, "ZZZZZZZZZZ"], Employee: one };
    const properties = { loginName: "found", email: "found@example.com", administrator: true, attributes };
    const account = await createUser(r, properties);
    const { secret: decoy } = await createUser(r);
    await assertFoundBy(r, account, { realm: "database", loginName: "found" }, { decoy });
  },

  "finds no account for a user without one": async ({ r }) => {
    await createUser(r);
    const stranger = await createUserObject(r, { Groups: [await createUserObject(r)] });
    for (const id of [stranger, "ZZZZZZZZZZ", "", "0", "constructor", "1;"])
      equal(await r.accounts.find({ id }, ["Groups"]), nothing, `the result for user "${id}"`);
    const [group] = await createGroups(r, ["lone"]);
    const loginName = "without an object";
    await r.accounts.create({ userId: "ZZZZZZ", loginName, secret: "", administrator: false }, loginName);
    const { account, user, linked } = await r.accounts.find({ id: "ZZZZZZ" }, ["Groups"]);
    equal([account?.loginName, user, linked], [loginName, null, []], "an account without a user object");
    equal((await r.objects.get([group?.id ?? ""], seesAll)).length, 1, "number of groups");
  },

  "finds the account of a user through a bound record, including the record": async ({ r }) => {
    const [one = "", two = ""] = idsOf(await createGroups(r, ["one", "two"]));
    const attributes = { Groups: [one, two, "ZZZZZZZZZZ"], Employee: one };
    const account = await createUser(r, { email: "found@example.com", attributes });
    const bystander = await createUser(r, { attributes: { Groups: [one] } });
    const shown = { email: "at@provider.example", displayName: "Some Body" };
    const link = await createLink(r, { userId: account.userId, subject: "Abc", shared: true, ...shown });
    await createLink(r, { userId: bystander.userId, subject: "abc" });
    await createLink(r, { userId: bystander.userId, subject: "Abc", issuer: "https://other.example" });
    await assertFoundBy(r, account, { linkId: link.id }, { link });
  },

  "finds nothing through a record that is bound to no account": async ({ r }) => {
    const account = await createUser(r);
    const link = await createLink(r, { userId: account.userId });
    const find = (linkId: string) => r.accounts.find({ linkId }, ["Groups"]);
    const ids = [link.value.id, link.id.toUpperCase(), `${link.id} `, link.id.slice(1), "", ...unstorableTexts];
    for (const id of ids) equal(await find(id), nothing, `the result for link "${id}"`);
    await r.records.put("identityLinks", "of another kind", link.value);
    equal(await find("of another kind"), nothing, "the result for a record of another kind");
    const userId = await createUserObject(r, { Groups: [account.userId] });
    const lost = await createLink(r, { userId, subject: "without an account" });
    equal(await find(lost.id), { ...nothing, link: lost }, "the result for a user without an account");
    await removeLink(r, link);
    equal(await find(link.id), nothing, "the result after the link is removed");
  },

  "finds an account for a proof by its exact name only": async ({ r }) => {
    equal(await findNamed(r, "nobody", ["Groups"]), nothing, "the result in an empty database");
    const account = await createUser(r, { loginName: "René", secret: "the only one" });
    const others = ["rené", "RENÉ", "Rene\u0301", "Rene", "René ", " René", "Ren%", "Ren_", "", "like René"];
    for (const name of [...others, ...unstorableTexts]) {
      const found = await findNamed(r, name, ["Groups"]);
      equal(found, { ...nothing, decoy: "the only one" }, `the result for ${JSON.stringify(name)}`);
    }
    const found = await findNamed(r, "René", []);
    equal([found.account, found.user], [account, await objectOf(r, account.userId)], "the account and the user object");
  },

  "returns the linked objects of the user object with a proof": async ({ r }) => {
    const groups = await createGroups(r, ["one", "two", "three", "four"]);
    const [one = "", two = "", three = "", four = ""] = idsOf(groups);
    const attributes = {
      Groups: [one, two, one, "ZZZZZZZZZZ", "no id", `${three},${four}`, `"${four}"`, "", null, 7],
      Employee: three,
      Other: [four],
      Name: '["]',
      Count: 7,
      Nothing: null,
    };
    await createUser(r, { loginName: "linked", attributes });
    const linkedBy = async (...links: string[]) => (await findNamed(r, "linked", links)).linked;
    const linked = await linkedBy("Groups", "Employee");
    equalInAnyOrder(linked, groups.slice(0, 3), "the links to groups and employee");
    equal(await linkedBy("Employee"), groups.slice(2, 3), "the links of the employee");
    equal(
      await linkedBy("Name", "Count", "Nothing", "unknown", "toString", "Employe"),
      [],
      "the links of an object without links",
    );
    equal(await linkedBy(), [], "the result for an unknown link");
  },

  "omits linked objects from a proof if they exceed the size limit in total": async ({ r }) => {
    const groups = await createGroups(r, ["one", "two", "three"], { Text: "x".repeat(maximumObjectBytes / 2) });
    const attributes = { Groups: idsOf(groups), Employee: groups[0]?.id ?? null };
    const { userId } = await createUser(r, { loginName: "linked", attributes });
    const { user, linked } = await findNamed(r, "linked", ["Groups"]);
    equal([user, linked], [await objectOf(r, userId), []], "the user object and its groups");
    equal((await findNamed(r, "linked", ["Employee"])).linked, groups.slice(0, 1), "the employee");
  },

  "refuses a second account for the same user": async ({ r }) => {
    const { userId } = await createUser(r);
    const another = { userId, loginName: "another", secret: "", administrator: true };
    equal(await r.accounts.create(another, "another key"), "nameTaken", "the outcome for the same user");
  },
});

import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { createLink, newLink } from "../../fixtures/new-link.ts";
import { occurrences } from "../../fixtures/occurrences.ts";
import { hour } from "../../fixtures/policy.ts";

const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

export const identityLinkChecks: readonly Check[] = checksOf("identity links", {
  "are found by issuer and subject as they were created, dated by the storage's clock": async ({
    storage,
    r,
    advance,
  }) => {
    const links = [
      newLink({ userId: "A1" }),
      newLink({
        provider: "apple",
        shared: true,
        email: "somebody@example.com",
        displayName: "Some Body",
        userId: "A1",
      }),
      newLink({ provider: "facebook", email: "SOMEBODY@example.com" }),
    ];
    for (const link of links) {
      advance(hour);
      const before = await storage.now();
      equal(await r.identityLinks.create(link), "created", "creating a link");
      const after = await storage.now();
      const found = await r.identityLinks.find({ issuer: link.issuer, subject: link.subject });
      const linkedAt = found?.linkedAt ?? 0;
      equal(found, { ...link, linkedAt }, "the link");
      holds(before <= linkedAt && linkedAt <= after, `A link of between ${before} and ${after} is dated ${linkedAt}`);
    }
    const all = await Promise.all(links.map(({ issuer, subject }) => r.identityLinks.find({ issuer, subject })));
    equal(
      all.map((link) => link?.id),
      links.map(({ id }) => id),
      "the links of all identities",
    );
  },

  "are of exactly one identity": async ({ r }) => {
    const link = await createLink(r, { issuer: "https://issuer.example", subject: "Abc" });
    for (const subject of [
      "abc",
      "ABC",
      "Abc ",
      " Abc",
      "Ab",
      "Abcd",
      "A%",
      "A\u200bbc",
      "Abc\ufe0f",
      "Abc\u0301",
      "\uff21bc",
      "\u0410bc",
      "",
      ...unstorableTexts,
    ]) {
      equal(
        await r.identityLinks.find({ issuer: link.issuer, subject }),
        null,
        `the link of ${JSON.stringify(subject)}`,
      );
    }
    for (const issuer of ["https://issuer.example/", "HTTPS://issuer.example", "", ...unstorableTexts]) {
      equal(await r.identityLinks.find({ issuer, subject: "Abc" }), null, `the link at ${JSON.stringify(issuer)}`);
    }
    const others = [
      await createLink(r, { subject: "abc" }),
      await createLink(r, { issuer: "https://other.example", subject: "Abc" }),
      await createLink(r, { subject: "Abc " }),
    ];
    for (const each of [link, ...others]) equal(await r.identityLinks.find(each), each, "a link among others like it");
  },

  "bind an identity once, and leave the link alone that is there": async ({ r }) => {
    const link = await createLink(r, { userId: "A", email: "first@example.com" });
    const again = [{ userId: "B" }, { userId: "A" }, { provider: "apple" }, { id: link.id }] as const;
    for (const change of again) {
      const { linkedAt: _linkedAt, ...same } = link;
      equal(await r.identityLinks.create({ ...same, id: newLink().id, ...change }), "taken", "binding it again");
    }
    equal(await r.identityLinks.find(link), link, "the link");
    equal(await r.identityLinks.list(null, 10), [link], "all links");
  },

  "bind an identity to one of those who want it at once": async ({ r }) => {
    for (let round = 0; round < 3; round += 1) {
      const subject = `wanted ${round}`;
      const links = Array.from({ length: 20 }, (_, index) => newLink({ subject, userId: String(index + 1) }));
      const outcomes = await atOnce(20, (index) => r.identityLinks.create(links[index] ?? newLink()));
      equal(
        [occurrences("created", outcomes), occurrences("taken", outcomes)],
        [1, 19],
        "how many were created and how many came too late",
      );
      const winner = links[outcomes.indexOf("created")];
      equal(
        (await r.identityLinks.find({ issuer: "https://issuer.example", subject }))?.id,
        winner?.id,
        "whose link it is",
      );
    }
  },

  "are there when the transaction is kept that created them, and only then": async ({ storage, r }) => {
    const [kept, undone] = [newLink(), newLink()];
    await storage.transaction((inside) => inside.identityLinks.create(kept));
    const failure = new Error("undone");
    const outcome = await storage
      .transaction(async (inside) => {
        equal(await inside.identityLinks.create(undone), "created", "creating a link");
        throw failure;
      })
      .catch((error: unknown) => error);
    holds(outcome === failure, "The error comes out unchanged");
    equal([(await r.identityLinks.find(kept))?.id, await r.identityLinks.find(undone)], [kept.id, null], "the links");
    equal(await r.identityLinks.create(undone), "created", "creating the link that was undone");
  },

  "of a user come by provider and then by time": async ({ r, advance }) => {
    const created = [];
    for (const provider of ["microsoft", "google", "apple", "google", "facebook"] as const) {
      created.push(await createLink(r, { provider, userId: "A1" }));
      advance(1_000);
    }
    await createLink(r, { userId: "A2" });
    const [microsoft, google, apple, later, facebook] = created;
    equal(await r.identityLinks.ofUser("A1"), [apple, facebook, google, later, microsoft], "the links of the user");
    for (const userId of ["A3", "", "constructor"])
      equal(await r.identityLinks.ofUser(userId), [], `the links of "${userId}"`);
  },

  "are removed by their id, or all of a user's at a provider": async ({ r }) => {
    const [first, second, third] = [
      await createLink(r, { userId: "A" }),
      await createLink(r, { userId: "A" }),
      await createLink(r, { userId: "A" }),
    ];
    const [apple, other] = [
      await createLink(r, { provider: "apple", userId: "A" }),
      await createLink(r, { userId: "B" }),
    ];
    equal(await r.identityLinks.remove({ id: first.id }), [first.id], "what was removed by id");
    for (const id of [first.id, uuidOf(1), "", "no id", "constructor"])
      equal(await r.identityLinks.remove({ id }), [], `what was removed by the id "${id}"`);
    equalInAnyOrder(
      await r.identityLinks.remove({ userId: "A", provider: "google" }),
      [second.id, third.id],
      "what was removed of the user",
    );
    for (const userId of ["A", "C", ""])
      equal(await r.identityLinks.remove({ userId, provider: "google" }), [], `what was removed of "${userId}"`);
    equalInAnyOrder(await r.identityLinks.list(null, 10), [apple, other], "the links that are left");
    equal(
      await r.identityLinks.create({ ...newLink(), issuer: first.issuer, subject: first.subject }),
      "created",
      "binding a removed identity again",
    );
  },

  "are removed by one of those who want them gone at once": async ({ r }) => {
    const link = await createLink(r, { userId: "A" });
    const removed = await atOnce(8, (index) =>
      r.identityLinks.remove(index % 2 === 0 ? { id: link.id } : { userId: "A", provider: "google" }),
    );
    equal(removed.flat(), [link.id], "what all of them have removed together");
  },

  "are listed by their ids, part by part": async ({ r }) => {
    equal(await r.identityLinks.list(null, 10), [], "the list of an empty database");
    const ids = [
      uuidOf(5),
      uuidOf(30),
      "ffffffff-0000-4000-8000-000000000000",
      uuidOf(4),
      "0fffffff-0000-4000-8000-000000000000",
    ];
    for (const id of ids) await createLink(r, { id });
    const sorted = ids.toSorted();
    const listed = async (after: string | null, limit: number) =>
      (await r.identityLinks.list(after, limit)).map(({ id }) => id);
    equal(await listed(null, 10), sorted, "the whole list");
    equal(await listed(null, 2), sorted.slice(0, 2), "the first part");
    equal(await listed(sorted[1] ?? "", 2), sorted.slice(2, 4), "a part in the middle");
    equal(await listed(uuidOf(6), 10), sorted.slice(2), "what comes after an id that does not exist");
    equal(await listed(sorted[4] ?? "", 10), [], "what comes after the last");
  },

  "keep hostile and long texts as they are": async ({ r }) => {
    for (const text of [...hostileTexts, "x".repeat(255), "ü".repeat(255)]) {
      const link = await createLink(r, { issuer: text, subject: text, email: text, displayName: text });
      equal([link.issuer, link.subject, link.email, link.displayName], [text, text, text, text], "the texts");
      equal(await r.identityLinks.find({ issuer: text, subject: text }), link, "the link");
    }
    const long = "ü".repeat(3_000);
    const link = await createLink(r, { email: long, displayName: long });
    equal([link.email, link.displayName], [long, long], "long texts for people");
    for (const text of unstorableTexts) {
      for (const name of ["issuer", "subject", "email", "displayName"] as const) {
        await failsWith(
          307,
          () => r.identityLinks.create(newLink({ [name]: text })),
          `a link whose ${name} cannot be stored`,
        );
      }
    }
  },
});

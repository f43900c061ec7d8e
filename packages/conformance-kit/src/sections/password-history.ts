import { equal, failsWith } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce } from "../fixtures/at-once.ts";
import { hostileTexts, unstorableTexts } from "../fixtures/hostile-texts.ts";

export const passwordHistoryChecks: readonly Check[] = checksOf("password history", {
  "is empty at first": async ({ r }) => {
    equal(await r.passwordHistory.latest("user:1", 10), [], "the history of nobody");
  },

  "shows the latest first, as many as asked for": async ({ r }) => {
    for (const secret of ["one", "two", "three"]) await r.passwordHistory.add("user:1", secret, 5);
    equal(await r.passwordHistory.latest("user:1", 10), ["three", "two", "one"], "all of it");
    equal(await r.passwordHistory.latest("user:1", 2), ["three", "two"], "the latest two");
    equal(await r.passwordHistory.latest("user:1", 0), [], "none");
  },

  "keeps as many as it is told with the last one": async ({ r }) => {
    for (let index = 1; index <= 6; index += 1) await r.passwordHistory.add("user:1", `secret ${index}`, 3);
    equal(await r.passwordHistory.latest("user:1", 10), ["secret 6", "secret 5", "secret 4"], "what is kept of six");
    await r.passwordHistory.add("user:1", "secret 7", 10);
    equal(
      await r.passwordHistory.latest("user:1", 10),
      ["secret 7", "secret 6", "secret 5", "secret 4"],
      "what is kept when more may be",
    );
    await r.passwordHistory.add("user:1", "secret 8", 1);
    equal(await r.passwordHistory.latest("user:1", 10), ["secret 8"], "what is kept when one may be");
    await r.passwordHistory.add("user:1", "secret 9", 0);
    equal(await r.passwordHistory.latest("user:1", 10), [], "what is kept when none may be");
  },

  "is of one subject each": async ({ r }) => {
    const subjects = ["user:1", "user:11", "USER:1", "custom:1", "user:1 "];
    for (const subject of subjects) await r.passwordHistory.add(subject, `of ${subject}`, 1);
    for (const subject of subjects)
      equal(
        await r.passwordHistory.latest(subject, 10),
        [`of ${subject}`],
        `the history of ${JSON.stringify(subject)}`,
      );
  },

  "keeps the same secret as often as it was current": async ({ r }) => {
    for (const secret of ["one", "two", "one"]) await r.passwordHistory.add("user:1", secret, 5);
    equal(await r.passwordHistory.latest("user:1", 10), ["one", "two", "one"], "the history");
  },

  "loses none of those that are added at once": async ({ r }) => {
    await atOnce(8, (index) => r.passwordHistory.add("user:1", `secret ${index}`, 20));
    equal(
      (await r.passwordHistory.latest("user:1", 20)).toSorted(),
      Array.from({ length: 8 }, (_, index) => `secret ${index}`),
      "the history",
    );
  },

  "keeps hostile texts as they are, and none that cannot be stored": async ({ r }) => {
    for (const text of hostileTexts) {
      await r.passwordHistory.add(text, text, 5);
      equal(await r.passwordHistory.latest(text, 5), [text], "the history");
    }
    await r.passwordHistory.add("user:1", "x".repeat(10_000), 5);
    equal(await r.passwordHistory.latest("user:1", 5), ["x".repeat(10_000)], "a long secret");
    for (const text of unstorableTexts) {
      await failsWith(307, () => r.passwordHistory.add("user:2", text, 5), `the secret ${JSON.stringify(text)}`);
      await failsWith(307, () => r.passwordHistory.add(text, "secret", 5), `the subject ${JSON.stringify(text)}`);
      equal(
        [await r.passwordHistory.latest("user:2", 5), await r.passwordHistory.latest(text, 5)],
        [[], []],
        "what was kept",
      );
    }
  },

  "is undone with the transaction that added to it": async ({ storage, r }) => {
    await r.passwordHistory.add("user:1", "one", 1);
    const undone = storage.transaction(async (inside) => {
      await inside.passwordHistory.add("user:1", "two", 1);
      equal(await inside.passwordHistory.latest("user:1", 5), ["two"], "what the transaction sees");
      throw new RangeError("undone");
    });
    await undone.catch((error: unknown) =>
      equal(error instanceof RangeError, true, "whether the transaction fails with its own error"),
    );
    equal(await r.passwordHistory.latest("user:1", 5), ["one"], "the history");
  },
});

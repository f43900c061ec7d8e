import type { BlockLimits, BlockVerdict, Digest } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { atOnce, oneByOne } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import type { Subject } from "../../subject.ts";

const limits: BlockLimits = { uses: 3, within: minute };
const server = "server key";

/** Claims cipher blocks for clients. Short names stand for the digests of both. */
async function begin({ r: outside }: Subject) {
  const named = new Map<string, Digest>();
  const digest = (name: string): Digest => {
    const known = named.get(name) ?? freshDigest();
    named.set(name, known);
    return known;
  };
  /** Claims blocks, one letter per block. */
  const claim = (client: string, letters: string, { keyId = server, r = outside } = {}): Promise<BlockVerdict> =>
    r.channels.claimBlocks(
      { blocks: [...letters].map((letter) => digest(`block ${letter}`)), clientKey: digest(`client ${client}`), keyId },
      limits,
    );
  /** The verdicts on consecutive claims, each written as its client and its blocks. */
  const inTurn = (...claims: readonly string[]): Promise<BlockVerdict[]> =>
    oneByOne(claims, (each) => {
      const [client = "", letters = ""] = each.split(" ");
      return claim(client, letters);
    });
  return { claim, inTurn };
}

export const channelBlockChecks: readonly Check[] = checksAfter("channels", begin, {
  "take the blocks of a message as often as allowed from one client": async ({ inTurn }) => {
    const verdicts = await inTurn("one abc", "one abc", "one abc", "one abc", "one abc");
    equal(verdicts, ["first", "again", "again", "refused", "refused"], "the verdicts");
  },

  "refuse the blocks of one client to every other": async ({ claim, inTurn }) => {
    equal(await claim("one", "ab"), "first", "the first claim");
    for (const letters of ["ab", "a", "b", "ba"])
      equal(await claim("other", letters), "refused", `the claim of another client on ${letters}`);
    equal(await inTurn("one ab", "one ab", "one ab"), ["again", "again", "refused"], "the claims of the first client");
    equal(await claim("other", "cd"), "first", "the claim of the other client on blocks of its own");
  },

  "refuse blocks when their time is over, by the storage's clock": async ({ advance, claim }) => {
    equal(await claim("one", "a"), "first", "the first claim");
    advance(minute - 10 * second);
    equal(await claim("one", "a"), "again", "the claim before the time is over");
    advance(11 * second);
    for (const client of ["one", "other"])
      equal(await claim(client, "a"), "refused", "the claim when the time is over");
    advance(100 * hour);
    equal(await claim("one", "a"), "refused", "the claim long after");
  },

  "count the uses of every block for itself": async ({ inTurn }) => {
    const verdicts = await inTurn("one ab", "one b", "one bc", "one ac", "one a", "one c");
    equal(verdicts, ["first", "again", "again", "again", "again", "again"], "the verdicts");
    const usedUp = await inTurn("one a", "one b", "one c");
    equal(usedUp, ["refused", "refused", "refused"], "the verdicts when all are used up");
  },

  "take all blocks of a message or none": async ({ claim, inTurn }) => {
    await claim("one", "m");
    equal(await claim("other", "amz"), "refused", "the claim on another's block between new ones");
    equal(await inTurn("third a", "third z"), ["first", "first"], "the claims on the new ones");
    await claim("one", "mn");
    await claim("one", "m");
    equal(await claim("one", "mn"), "refused", "the claim on a block that is used up");
    equal(await inTurn("one n", "one n", "one n"), ["again", "again", "refused"], "the claims on the one that is not");
  },

  "are free again when the transaction that claimed them is taken back": async ({ storage, claim, inTurn }) => {
    await claim("one", "b");
    await rolledBack(storage, async (r) => {
      equal(await claim("one", "ab", { r }), "again", "the claim inside");
      equal(await claim("other", "a", { r }), "refused", "the claim of another client inside");
    });
    const verdicts = await inTurn("other a", "one b", "one b", "one b");
    equal(verdicts, ["first", "again", "again", "refused"], "the claims after it");
  },

  "take equal blocks of one message for one": async ({ claim, inTurn }) => {
    equal(await claim("one", "aba"), "first", "the claim");
    equal(await inTurn("one a", "one aaaa", "one a"), ["again", "again", "refused"], "the claims after it");
  },

  "let one client win of those who bring the same blocks at once": async ({ claim }) => {
    for (const letters of ["a", "bcd", "efghijkl"]) {
      const reversed = [...letters].toReversed().join("");
      const verdicts = await atOnce(10, (index) => claim(`client ${index}`, index % 2 === 0 ? letters : reversed));
      equalCounts(verdicts, { first: 1, refused: 9 }, "how many were first and refused");
      const winner = verdicts.indexOf("first");
      equal(await claim(`client ${winner}`, letters), "again", "the next claim of the one who won");
    }
  },

  "count every use of those at once": async ({ claim }) => {
    const verdicts = await atOnce(10, () => claim("one", "ab"));
    equalCounts(verdicts, { first: 1, again: 2, refused: 7 }, "how many were first, again and refused");
  },

  "give messages that share blocks to one client whole, never in parts": async ({ claim }) => {
    const messages = ["abc", "cde", "efg", "gha", "bdf"];
    const verdicts = await Promise.all(messages.map((letters, index) => claim(`client ${index}`, letters)));
    const won = messages.filter((_, index) => verdicts[index] === "first");
    holds(won.length > 0, "Somebody wins");
    equal(new Set(won.join("")).size, won.join("").length, "how many blocks were won");
    const free = [...new Set(messages.join(""))].filter((letter) => !won.join("").includes(letter));
    for (const letter of free) equal(await claim("late", letter), "first", "the claim on a block that nobody has won");
  },

  "forget old blocks of server keys that are over, no more than asked for": async ({ r, advance, claim, inTurn }) => {
    for (const letters of ["a", "b", "c"]) await claim("one", letters, { keyId: "over" });
    await claim("one", "d", { keyId: "even earlier" });
    await claim("one", "e", { keyId: "accepted" });
    advance(2 * hour);
    await claim("one", "f", { keyId: "over" });
    equal(await r.channels.sweepBlocks(["accepted"], 3 * hour, 10), 0, "how many were swept before their age");
    const accepted = await r.channels.sweepBlocks(["accepted", "over", "even earlier"], hour, 10);
    equal(accepted, 0, "how many of accepted keys were swept");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 0), 0, "how many a sweep of none has swept");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 3), 3, "how many the first sweep has swept");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 3), 1, "how many the second sweep has swept");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 3), 0, "how many the third sweep has swept");
    const verdicts = await inTurn("other a", "other d", "one e", "other f");
    equal(verdicts, ["first", "first", "refused", "refused"], "the claims after it");
    equal(await claim("one", "f", { keyId: "over" }), "again", "the claim on one that was too young");
    equal(await r.channels.sweepBlocks([], hour, 10), 1, "how many are swept when no key is accepted");
  },
});

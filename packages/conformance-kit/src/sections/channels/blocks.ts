import type { BlockLimits, BlockVerdict, Digest } from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { concurrently, sequentially } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import type { Subject } from "../../subject.ts";

const limits: BlockLimits = { uses: 3, within: minute };
const server = "server key";

/** Registers cipher blocks for clients. Short names stand for the digests of both. */
async function begin({ r: outside }: Subject) {
  const named = new Map<string, Digest>();
  const digest = (name: string): Digest => {
    const blockDigest = named.get(name) ?? freshDigest();
    named.set(name, blockDigest);
    return blockDigest;
  };
  /** Registers blocks, one letter per block. */
  const register = (client: string, letters: string, { keyId = server, r = outside } = {}): Promise<BlockVerdict> =>
    r.channels.registerBlocks(
      { blocks: [...letters].map((letter) => digest(`block ${letter}`)), clientKey: digest(`client ${client}`), keyId },
      limits,
    );
  /** The verdicts on consecutive messages, each written as its client and its blocks. */
  const inTurn = (...messages: readonly string[]): Promise<BlockVerdict[]> =>
    sequentially(messages, (each) => {
      const [client = "", letters = ""] = each.split(" ");
      return register(client, letters);
    });
  return { register, inTurn };
}

export const channelBlockChecks: readonly Check[] = checksAfter("channels", begin, {
  "accepts the blocks of a message from one client up to the allowed number of uses": async ({ inTurn }) => {
    const verdicts = await inTurn("one abc", "one abc", "one abc", "one abc", "one abc");
    equal(verdicts, ["first", "again", "again", "refused", "refused"], "the verdicts");
  },

  "refuses a reused cipher block with another client key": async ({ register, inTurn }) => {
    equal(await register("one", "ab"), "first", "the verdict on the first message");
    for (const letters of ["ab", "a", "b", "ba"])
      equal(await register("other", letters), "refused", `the verdict on a message of ${letters} by another client`);
    equal(
      await inTurn("one ab", "one ab", "one ab"),
      ["again", "again", "refused"],
      "the verdicts for the first client",
    );
    equal(await register("other", "cd"), "first", "the verdict on other blocks of the other client");
  },

  "refuses expired blocks by the storage clock": async ({ advance, register }) => {
    equal(await register("one", "a"), "first", "the verdict on the first message");
    advance(minute - 10 * second);
    equal(await register("one", "a"), "again", "the verdict before the expiry");
    advance(11 * second);
    for (const client of ["one", "other"]) equal(await register(client, "a"), "refused", "the verdict at the expiry");
    advance(100 * hour);
    equal(await register("one", "a"), "refused", "the verdict long after the expiry");
  },

  "counts the uses of each block separately": async ({ inTurn }) => {
    const verdicts = await inTurn("one ab", "one b", "one bc", "one ac", "one a", "one c");
    equal(verdicts, ["first", "again", "again", "again", "again", "again"], "the verdicts");
    const usedUp = await inTurn("one a", "one b", "one c");
    equal(usedUp, ["refused", "refused", "refused"], "the verdicts after all uses");
  },

  "accepts all blocks of a message or none": async ({ register, inTurn }) => {
    await register("one", "m");
    equal(await register("other", "amz"), "refused", "the verdict on new blocks with a block of another client");
    equal(await inTurn("third a", "third z"), ["first", "first"], "the verdicts on the new blocks");
    await register("one", "mn");
    await register("one", "m");
    equal(await register("one", "mn"), "refused", "the verdict with a block that has no uses left");
    equal(await inTurn("one n", "one n", "one n"), ["again", "again", "refused"], "the verdicts on the other block");
  },

  "frees blocks if the transaction that registered them is rolled back": async ({ storage, register, inTurn }) => {
    await register("one", "b");
    await rolledBack(storage, async (r) => {
      equal(await register("one", "ab", { r }), "again", "the verdict inside the transaction");
      equal(await register("other", "a", { r }), "refused", "the verdict for another client inside the transaction");
    });
    const verdicts = await inTurn("other a", "one b", "one b", "one b");
    equal(verdicts, ["first", "again", "again", "refused"], "the verdicts after the rollback");
  },

  "counts equal blocks in one message as one use": async ({ register, inTurn }) => {
    equal(await register("one", "aba"), "first", "the verdict");
    equal(await inTurn("one a", "one aaaa", "one a"), ["again", "again", "refused"], "the verdicts after the message");
  },

  "accepts the blocks from one of several concurrent clients": async ({ register }) => {
    for (const letters of ["a", "bcd", "efghijkl"]) {
      const reversed = [...letters].toReversed().join("");
      const verdicts = await concurrently(10, (index) =>
        register(`client ${index}`, index % 2 === 0 ? letters : reversed),
      );
      equalCounts(verdicts, { first: 1, refused: 9 }, "numbers of first and refused messages");
      const winner = verdicts.indexOf("first");
      equal(await register(`client ${winner}`, letters), "again", "the verdict on the next message of that client");
    }
  },

  "counts every use of a block in concurrent registrations": async ({ register }) => {
    const verdicts = await concurrently(10, () => register("one", "ab"));
    equalCounts(verdicts, { first: 1, again: 2, refused: 7 }, "numbers of first, repeated and refused messages");
  },

  "accepts messages with shared blocks only as a whole, from one client": async ({ register }) => {
    const messages = ["abc", "cde", "efg", "gha", "bdf"];
    const verdicts = await Promise.all(messages.map((letters, index) => register(`client ${index}`, letters)));
    const won = messages.filter((_, index) => verdicts[index] === "first");
    isTrue(won.length > 0, "At least one client must be accepted");
    equal(new Set(won.join("")).size, won.join("").length, "number of accepted blocks");
    const free = [...new Set(messages.join(""))].filter((letter) => !won.join("").includes(letter));
    for (const letter of free)
      equal(await register("late", letter), "first", "the verdict on a block that no client was given");
  },

  "deletes old blocks of retired server keys up to the limit": async ({ r, advance, register, inTurn }) => {
    for (const letters of ["a", "b", "c"]) await register("one", letters, { keyId: "over" });
    await register("one", "d", { keyId: "even earlier" });
    await register("one", "e", { keyId: "accepted" });
    advance(2 * hour);
    await register("one", "f", { keyId: "over" });
    equal(await r.channels.sweepBlocks(["accepted"], 3 * hour, 10), 0, "number of blocks swept too early");
    const accepted = await r.channels.sweepBlocks(["accepted", "over", "even earlier"], hour, 10);
    equal(accepted, 0, "number of blocks of accepted keys");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 0), 0, "number of blocks swept with a limit of zero");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 3), 3, "number of blocks swept by the first call");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 3), 1, "number of blocks swept by the second call");
    equal(await r.channels.sweepBlocks(["accepted"], hour, 3), 0, "number of blocks swept by the third call");
    const verdicts = await inTurn("other a", "other d", "one e", "other f");
    equal(verdicts, ["first", "first", "refused", "refused"], "the verdicts after the sweeps");
    equal(await register("one", "f", { keyId: "over" }), "again", "the verdict on a block that was too recent");
    equal(await r.channels.sweepBlocks([], hour, 10), 1, "number of blocks swept without accepted keys");
  },
});

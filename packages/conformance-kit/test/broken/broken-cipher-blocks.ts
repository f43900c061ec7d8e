import type { BlockVerdict, Digest } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever = Number.MAX_SAFE_INTEGER;

/** What all verdicts together come to, when they were given one by one. */
function summed(verdicts: readonly BlockVerdict[]): BlockVerdict {
  if (verdicts.includes("refused")) return "refused";
  return verdicts.includes("again") ? "again" : "first";
}

/** Faults in what is remembered of the cipher blocks of secure log-ins. */
export const brokenCipherBlocks: readonly BrokenAdapter[] = [
  broken(
    "forgets whose block it was",
    ["refuse the blocks of one client to every other", "let one client win of those who bring the same blocks at once"],
    () => (r) => ({
      channels: {
        claimBlocks: (claim, limits) => r.channels.claimBlocks({ ...claim, clientKey: "0".repeat(64) }, limits),
      },
    }),
  ),

  broken(
    "does not count uses",
    ["take the blocks of a message as often as allowed from one client", "count every use of those at once"],
    () => (r) => ({
      channels: { claimBlocks: (claim, limits) => r.channels.claimBlocks(claim, { ...limits, uses: 1_000_000 }) },
    }),
  ),

  broken("allows one use too many", "take the blocks of a message as often as allowed from one client", () => (r) => ({
    channels: { claimBlocks: (claim, limits) => r.channels.claimBlocks(claim, { ...limits, uses: limits.uses + 1 }) },
  })),

  broken("knows no time", "refuse blocks when their time is over, by the storage's clock", () => (r) => ({
    channels: { claimBlocks: (claim, limits) => r.channels.claimBlocks(claim, { ...limits, within: forever }) },
  })),

  broken("looks at the first block only", "count the uses of every block for itself", () => (r) => ({
    channels: {
      claimBlocks: (claim, limits) => r.channels.claimBlocks({ ...claim, blocks: claim.blocks.slice(0, 1) }, limits),
    },
  })),

  broken(
    "claims block by block",
    ["take all blocks of a message or none", "give messages that share blocks to one client whole, never in parts"],
    () => (r) => ({
      channels: {
        claimBlocks: async (claim, limits) => {
          const verdicts: BlockVerdict[] = [];
          for (const block of new Set(claim.blocks)) {
            verdicts.push(await r.channels.claimBlocks({ ...claim, blocks: [block] }, limits));
            await pause();
          }
          return summed(verdicts);
        },
      },
    }),
  ),

  broken(
    "counts a block as often as it stands in a message",
    "take equal blocks of one message for one",
    () => (r) => ({
      channels: {
        claimBlocks: async (claim, limits) => {
          const verdicts: BlockVerdict[] = [];
          for (const block of claim.blocks)
            verdicts.push(await r.channels.claimBlocks({ ...claim, blocks: [block] }, limits));
          return summed(verdicts);
        },
      },
    }),
  ),

  broken(
    "looks for another's blocks, then claims",
    "let one client win of those who bring the same blocks at once",
    () => {
      const owners = new Map<Digest, Digest>();
      return () => ({
        channels: {
          claimBlocks: async ({ blocks, clientKey }) => {
            const foreign = blocks.some((block) => (owners.get(block) ?? clientKey) !== clientKey);
            const known = blocks.some((block) => owners.has(block));
            await pause();
            for (const block of blocks) owners.set(block, clientKey);
            if (foreign) return "refused";
            return known ? "again" : "first";
          },
        },
      });
    },
  ),

  broken("takes claims at once for one", "count every use of those at once", () => {
    let running: Promise<BlockVerdict> | undefined;
    return (r) => ({
      channels: {
        claimBlocks: (claim, limits) => {
          running ??= pause()
            .then(() => r.channels.claimBlocks(claim, limits))
            .finally(() => (running = undefined));
          return running;
        },
      },
    });
  }),

  ...(
    [
      ["sweeps the blocks of accepted keys", (_ids: readonly string[], age: number, limit: number) => [[], age, limit]],
      ["sweeps blocks of any age", (ids: readonly string[], _age: number, limit: number) => [ids, 0, limit]],
      ["sweeps more blocks than asked for", (ids: readonly string[], age: number) => [ids, age, 1_000]],
      ["sweeps no block", (ids: readonly string[], age: number) => [ids, age, 0]],
    ] as const
  ).map(([fault, changed]) =>
    broken(fault, "forget old blocks of server keys that are over, no more than asked for", () => (r) => ({
      channels: {
        sweepBlocks: (...asked) =>
          r.channels.sweepBlocks(...(changed(...asked) as Parameters<typeof r.channels.sweepBlocks>)),
      },
    })),
  ),
];

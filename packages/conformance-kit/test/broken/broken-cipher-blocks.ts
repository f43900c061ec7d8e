import type { BlockVerdict, Digest } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever = Number.MAX_SAFE_INTEGER;

/** The combined verdict of single verdicts. */
function summed(verdicts: readonly BlockVerdict[]): BlockVerdict {
  if (verdicts.includes("refused")) return "refused";
  return verdicts.includes("again") ? "again" : "first";
}

/** Faults in the memory for cipher blocks of secure log-ins. */
export const brokenCipherBlocks: readonly BrokenAdapter[] = [
  broken(
    "ignores the client of a block",
    [
      "refuses a reused cipher block with another client key",
      "accepts the blocks from one of several concurrent clients",
    ],
    () => (r) => ({
      channels: {
        registerBlocks: (message, limits) =>
          r.channels.registerBlocks({ ...message, clientKey: "0".repeat(64) }, limits),
      },
    }),
  ),

  broken(
    "does not count uses",
    [
      "accepts the blocks of a message from one client up to the allowed number of uses",
      "counts every use of a block in concurrent registrations",
    ],
    () => (r) => ({
      channels: {
        registerBlocks: (message, limits) => r.channels.registerBlocks(message, { ...limits, uses: 1_000_000 }),
      },
    }),
  ),

  broken(
    "allows one use too many",
    "accepts the blocks of a message from one client up to the allowed number of uses",
    () => (r) => ({
      channels: {
        registerBlocks: (message, limits) => r.channels.registerBlocks(message, { ...limits, uses: limits.uses + 1 }),
      },
    }),
  ),

  broken("never expires blocks", "refuses expired blocks by the storage clock", () => (r) => ({
    channels: {
      registerBlocks: (message, limits) => r.channels.registerBlocks(message, { ...limits, within: forever }),
    },
  })),

  broken("checks the first block only", "counts the uses of each block separately", () => (r) => ({
    channels: {
      registerBlocks: (message, limits) =>
        r.channels.registerBlocks({ ...message, blocks: message.blocks.slice(0, 1) }, limits),
    },
  })),

  broken(
    "registers blocks one by one",
    ["accepts all blocks of a message or none", "accepts messages with shared blocks only as a whole, from one client"],
    () => (r) => ({
      channels: {
        registerBlocks: async (message, limits) => {
          const verdicts: BlockVerdict[] = [];
          for (const block of new Set(message.blocks)) {
            verdicts.push(await r.channels.registerBlocks({ ...message, blocks: [block] }, limits));
            await pause();
          }
          return summed(verdicts);
        },
      },
    }),
  ),

  broken(
    "counts equal blocks in one message separately",
    "counts equal blocks in one message as one use",
    () => (r) => ({
      channels: {
        registerBlocks: async (message, limits) => {
          const verdicts: BlockVerdict[] = [];
          for (const block of message.blocks)
            verdicts.push(await r.channels.registerBlocks({ ...message, blocks: [block] }, limits));
          return summed(verdicts);
        },
      },
    }),
  ),

  broken(
    "checks for blocks of other clients before it registers",
    "accepts the blocks from one of several concurrent clients",
    () => {
      const owners = new Map<Digest, Digest>();
      return () => ({
        channels: {
          registerBlocks: async ({ blocks, clientKey }) => {
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

  broken("counts concurrent registrations as one", "counts every use of a block in concurrent registrations", () => {
    let running: Promise<BlockVerdict> | undefined;
    return (r) => ({
      channels: {
        registerBlocks: (message, limits) => {
          running ??= pause()
            .then(() => r.channels.registerBlocks(message, limits))
            .finally(() => (running = undefined));
          return running;
        },
      },
    });
  }),

  ...(
    [
      ["sweeps blocks of accepted keys", (_ids: readonly string[], age: number, limit: number) => [[], age, limit]],
      ["sweeps blocks of any age", (ids: readonly string[], _age: number, limit: number) => [ids, 0, limit]],
      ["sweeps more blocks than the limit", (ids: readonly string[], age: number) => [ids, age, 1_000]],
      ["sweeps no blocks", (ids: readonly string[], age: number) => [ids, age, 0]],
    ] as const
  ).map(([fault, changed]) =>
    broken(fault, "deletes old blocks of retired server keys up to the limit", () => (r) => ({
      channels: {
        sweepBlocks: (...asked) =>
          r.channels.sweepBlocks(...(changed(...asked) as Parameters<typeof r.channels.sweepBlocks>)),
      },
    })),
  ),
];

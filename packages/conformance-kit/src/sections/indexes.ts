import { type AttributeIndex, type JsonValue, seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { idsOf } from "../fixtures/objects.ts";
import { hostileTexts } from "../fixtures/hostile-texts.ts";

const indexed: readonly AttributeIndex[] = [
  { className: "File", attribute: "Name", type: "string" },
  { className: "File", attribute: "Size", type: "number" },
  { className: "File", attribute: "Open", type: "boolean" },
  { className: "File", attribute: "Made", type: "date" },
  { className: "File", attribute: "Maker", type: "reference" },
  { className: "File", attribute: "Content", type: "file" },
  { className: "Image", attribute: "Name", type: "string" },
];

const [fileName, fileSize] = indexed as [AttributeIndex, AttributeIndex];

const oneProcess = checksOf("indexes", {
  "are ready once they are aligned": async ({ storage }) => {
    equal(await storage.readyIndexes(indexed), [], "what is ready before");
    const report = await storage.alignIndexes(indexed);
    holds(report !== "busy", "Nobody else is at it");
    equalInAnyOrder(report.built, indexed, "what was built");
    equal(report.removed, 0, "how many were taken away");
    equalInAnyOrder(await storage.readyIndexes(indexed), indexed, "what is ready");
    equal(await storage.readyIndexes([fileSize]), [fileSize], "what is ready of one");
    equal(await storage.readyIndexes([]), [], "what is ready of none");
  },

  "are told apart by class, attribute and type": async ({ storage }) => {
    await storage.alignIndexes([fileName]);
    const others = [
      { ...fileName, className: "file" },
      { ...fileName, className: "Image" },
      { ...fileName, attribute: "name" },
      { ...fileName, type: "date" } as const,
    ];
    equal(await storage.readyIndexes(others), [], "what is ready of others");
  },

  "are taken away when they are not wanted any more": async ({ storage }) => {
    await storage.alignIndexes(indexed);
    const date = { ...fileName, type: "date" } as const;
    equal(await storage.alignIndexes([fileSize, date]), { built: [date], removed: 6 }, "what was done");
    equal(await storage.readyIndexes(indexed), [fileSize], "what is ready");
    equal(await storage.alignIndexes([]), { built: [], removed: 2 }, "what was done in the end");
    equal(await storage.readyIndexes([...indexed, date]), [], "what is ready in the end");
  },

  "stay when they are wanted again": async ({ storage }) => {
    await storage.alignIndexes(indexed);
    for (let round = 0; round < 3; round += 1) {
      equal(await storage.alignIndexes(indexed), { built: [], removed: 0 }, "what was done");
      equalInAnyOrder(await storage.readyIndexes(indexed), indexed, "what is ready");
    }
  },

  "take every value, whether it is there before them or comes after": async ({ storage, r }) => {
    const texts = ["", "ab", "x".repeat(10_000), "\u{1f469}".repeat(10_000), ...hostileTexts];
    const numbers = [0, -0.5, 1e300, -1e300, 5e-324, Number.MAX_SAFE_INTEGER];
    const values: { readonly [attribute: string]: JsonValue }[] = [
      {},
      { Name: null, Size: null, Open: null, Made: null, Maker: null, Content: null },
      ...texts.map((Name) => ({ Name })),
      ...numbers.map((Size) => ({ Size })),
      { Open: true, Made: "2024-02-29" },
      { Open: false, Made: "2024-02-29T12:00:00.000Z", Maker: "A1", Content: "ZZZZZZZZZZ" },
    ];
    const objects = ["File", "Image"].flatMap((className) => values.map((attributes) => ({ className, attributes })));
    const before = await r.objects.insert(objects);
    await storage.alignIndexes(indexed);
    const after = await r.objects.insert(objects);
    equalInAnyOrder(await storage.readyIndexes(indexed), indexed, "what is ready");
    const all = [...before, ...after];
    equalInAnyOrder(await r.objects.get(idsOf(all), seesAll), all, "the objects");
  },
});

const severalProcesses = checksOf(
  "indexes",
  {
    "are aligned by one process at a time, and end up whole": async ({ storage, another }) => {
      const other = await another();
      const outcomes = await Promise.all([storage, other, storage, other].map((each) => each.alignIndexes(indexed)));
      const built = outcomes.flatMap((outcome) => (outcome === "busy" ? [] : outcome.built));
      equalInAnyOrder(built, indexed, "what was built by all of them");
      while ((await other.alignIndexes(indexed)) === "busy");
      for (const each of [storage, other]) equalInAnyOrder(await each.readyIndexes(indexed), indexed, "what is ready");
    },
  },
  { needs: "severalProcesses" },
);

const limited = checksOf(
  "indexes",
  {
    "are built up to the declared limit, the first of those that are wanted": async ({ storage }) => {
      const limit = storage.capabilities.indexesPerTable ?? 0;
      holds(limit >= 16, "There can be 16 indexes");
      const wanted = Array.from({ length: limit + 2 }, (_, number) => ({ ...fileName, attribute: `Name${number}` }));
      const first = wanted.slice(0, limit);
      const report = await storage.alignIndexes(wanted);
      holds(report !== "busy", "Nobody else is at it");
      equalInAnyOrder(report.built, first, "what was built");
      equalInAnyOrder(await storage.readyIndexes(wanted), first, "what is ready");
      equal(await storage.alignIndexes(wanted), { built: [], removed: 0 }, "what was done the second time");
      const last = wanted.slice(2);
      equal(await storage.alignIndexes(last), { built: last.slice(-2), removed: 2 }, "what was done to make room");
      equalInAnyOrder(await storage.readyIndexes(wanted), last, "what is ready in the end");
    },
  },
  { needs: "indexesPerTable" },
);

export const indexChecks: readonly Check[] = [...oneProcess, ...severalProcesses, ...limited];

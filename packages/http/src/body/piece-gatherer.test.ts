import fc from "fast-check";
import { PieceGatherer } from "./piece-gatherer.ts";

function gathered(pieces: readonly Buffer[]) {
  const blocks: Buffer[] = [];
  let refusals = 0;
  let ended = false;
  const gatherer = new PieceGatherer({
    take: (block) => {
      if (block === null) ended = true;
      else blocks.push(Buffer.from(block));
      return true;
    },
    refuse: () => {
      refusals += 1;
    },
  });
  for (const piece of [...pieces, null]) gatherer.push(piece);
  return { blocks, refusals, ended };
}

test("a body is the same however it is cut into pieces", () => {
  const piece = fc.oneof(fc.integer({ min: 16, max: 40 }), fc.integer({ min: 1_000, max: 20_000 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (lengths) => {
      const pieces = lengths.map((length, index) => Buffer.alloc(length, index));
      const { blocks, refusals, ended } = gathered(pieces);
      expect(Buffer.concat(blocks).equals(Buffer.concat(pieces))).toBe(true);
      expect({ refusals, ended }).toEqual({ refusals: 0, ended: true });
    }),
  );
});

test("small pieces are passed on in few blocks", () => {
  const { blocks } = gathered(Array.from({ length: 60_000 }, () => Buffer.alloc(17)));
  expect(blocks.length).toBeLessThan(70);
});

test("pieces of a byte are refused once, and nothing is taken after that", () => {
  const { blocks, refusals, ended } = gathered(Array.from({ length: 64_000 }, () => Buffer.alloc(1)));
  expect({ blocks, refusals, ended }).toEqual({ blocks: [], refusals: 1, ended: false });
});

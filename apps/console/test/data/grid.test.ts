import fc from "fast-check";
import { tableText } from "../../src/data/cell-text.ts";
import { movedCell, selectedRange } from "../../src/data/grid/grid-keys.ts";
import { containerHeight, contentOffset, maxHeight, scrollOffset } from "../../src/data/grid/offset-mapping.ts";

describe("offset of rows", () => {
  const extent = fc.record({
    content: fc.integer({ min: 0, max: 400_000_000 }),
    viewport: fc.integer({ min: 100, max: 4_000 }),
  });

  test("the element is never higher than browsers allow, and both ends show both ends", () => {
    fc.assert(
      fc.property(extent, (each) => {
        const height = containerHeight(each);
        expect(height).toBeLessThanOrEqual(maxHeight);
        expect(contentOffset(0, each)).toBe(0);
        const [end, last] = [height - each.viewport, each.content - each.viewport];
        expect(contentOffset(end, each)).toBeCloseTo(last, 3);
      }),
    );
  });

  test("places map to each other, in order", () => {
    fc.assert(
      fc.property(extent, fc.nat(maxHeight), fc.nat(maxHeight), (each, first, second) => {
        expect(scrollOffset(contentOffset(first, each), each)).toBeCloseTo(first, 3);
        const [low, high] = [Math.min(first, second), Math.max(first, second)];
        expect(contentOffset(low, each)).toBeLessThanOrEqual(contentOffset(high, each));
      }),
    );
  });

  test("a list below the limit is not mapped", () => {
    expect(contentOffset(1_234, { content: 36_000, viewport: 600 })).toBe(1_234);
  });
});

describe("cells of the grid", () => {
  const size = { rows: 100, columns: 5, pageRows: 10 };
  const key = (name: string, ctrlKey = false) => ({ key: name, ctrlKey, metaKey: false });

  test.each([
    ["ArrowDown", false, { row: 51, column: 2 }],
    ["ArrowUp", true, { row: 0, column: 2 }],
    ["PageDown", false, { row: 60, column: 2 }],
    ["Home", false, { row: 50, column: 0 }],
    ["End", true, { row: 100, column: 4 }],
  ])("%s", (name, isFar, expected) => {
    expect(movedCell({ row: 50, column: 2 }, key(name, isFar), size)).toEqual(expected);
  });

  test.each(["a", "Tab", "constructor"])("%s leads to none", (name) => {
    expect(movedCell({ row: 0, column: 0 }, key(name), size)).toBeNull();
  });

  test("none leads out of the grid", () => {
    const keys = fc.constantFrom(
      "ArrowUp",
      "ArrowDown",
      "ArrowLeft",
      "ArrowRight",
      "PageUp",
      "PageDown",
      "Home",
      "End",
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(keys, fc.boolean())), (pressed) => {
        const end = pressed.reduce((cell, [name, isFar]) => movedCell(cell, key(name, isFar), size) ?? cell, {
          row: 0,
          column: 0,
        });
        expect(end.row).toBeGreaterThanOrEqual(0);
        expect(end.row).toBeLessThanOrEqual(size.rows);
        expect(end.column).toBeGreaterThanOrEqual(0);
        expect(end.column).toBeLessThan(size.columns);
      }),
    );
  });

  test("a selection has the cells between its corners, without the header", () => {
    const range = selectedRange({ row: 0, column: 3 }, { row: 2, column: 1 });
    expect(range).toMatchObject({ firstRow: 1, lastRow: 2, firstColumn: 1, lastColumn: 3 });
    expect([range.has(1, 2), range.has(0, 2), range.has(2, 4)]).toEqual([true, false, false]);
  });

  test("cells are copied as lines of tab-separated values", () => {
    expect(tableText([["a\tb"]])).toBe("a\tb");
    expect(
      tableText([
        ["a", 'b"c'],
        ["d\ne", ""],
      ]),
    ).toBe('a\t"b""c"\n"d\ne"\t');
  });
});

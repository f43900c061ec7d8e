import { batches } from "./batches.ts";

const inBatches = (items: readonly number[], most: { items: number; bytes: number }) => [
  ...batches(items, (item) => item, most),
];

describe("batches", () => {
  test("end with so many items", () =>
    expect(inBatches([1, 1, 1, 1, 1], { items: 2, bytes: 100 })).toEqual([[1, 1], [1, 1], [1]]));
  test("end with so many bytes", () =>
    expect(inBatches([4, 6, 1, 9, 1], { items: 9, bytes: 10 })).toEqual([[4, 6], [1, 9], [1]]));
  test("hold what is too large alone", () =>
    expect(inBatches([1, 50, 1], { items: 9, bytes: 10 })).toEqual([[1], [50], [1]]));
  test("are none of nothing", () => expect(inBatches([], { items: 9, bytes: 10 })).toEqual([]));
});

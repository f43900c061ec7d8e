import type { HeldRange } from "./upload-state.ts";

/** The union of ranges: ascending, neither overlapping nor adjacent. */
export function union(ranges: readonly HeldRange[]): HeldRange[] {
  const merged: HeldRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.first - other.first)) {
    const before = merged.at(-1);
    if (before === undefined || range.first > before.last + 1) merged.push(range);
    else merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
  }
  return merged;
}

/** The parts of ranges from an offset on. */
export function from(offset: number, ranges: readonly HeldRange[]): HeldRange[] {
  return ranges
    .filter(({ last }) => last >= offset)
    .map(({ first, last }) => ({ first: Math.max(first, offset), last }));
}

/** A part of a chunk: bytes that are new, or bytes to compare with those held. */
export interface ChunkPart extends HeldRange {
  readonly held: boolean;
}

/** Splits a chunk into parts that are wholly held or wholly new, in order. `held`: ascending, without overlaps. */
export function partsOf({ first, last }: HeldRange, held: readonly HeldRange[]): ChunkPart[] {
  const parts: ChunkPart[] = [];
  let next = first;
  for (const range of held) {
    if (range.last < next) continue;
    if (range.first > last) break;
    if (range.first > next) parts.push({ first: next, last: range.first - 1, held: false });
    const part = { first: Math.max(range.first, next), last: Math.min(range.last, last), held: true };
    parts.push(part);
    next = part.last + 1;
  }
  if (next <= last) parts.push({ first: next, last, held: false });
  return parts;
}

export function bytesOf(ranges: readonly HeldRange[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

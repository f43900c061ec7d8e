import type { InclusiveRange } from "./upload-state.ts";

/** The union of ranges: ascending, neither overlapping nor adjacent. */
export function union(ranges: readonly InclusiveRange[]): InclusiveRange[] {
  const merged: InclusiveRange[] = [];
  // New objects: a storage may return `first` and `last` in another order, and ranges are compared as text.
  for (const { first, last } of ranges.toSorted((one, other) => one.first - other.first)) {
    const before = merged.at(-1);
    if (before === undefined || first > before.last + 1) merged.push({ first, last });
    else merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, last) };
  }
  return merged;
}

/** The number of bytes from 0 without a gap. */
export function gapless([head]: readonly InclusiveRange[]): number {
  return head?.first === 0 ? head.last + 1 : 0;
}

/** A part of a chunk: bytes that are new, or bytes to compare with those received. */
export interface ChunkPart extends InclusiveRange {
  readonly received: boolean;
}

/** Splits a chunk into parts that are wholly received or wholly new, in order. `received`: ascending, without overlaps. */
export function partsOf({ first, last }: InclusiveRange, received: readonly InclusiveRange[]): ChunkPart[] {
  const parts: ChunkPart[] = [];
  let next = first;
  for (const range of received) {
    if (range.last < next) continue;
    if (range.first > last) break;
    if (range.first > next) parts.push({ first: next, last: range.first - 1, received: false });
    const part = { first: Math.max(range.first, next), last: Math.min(range.last, last), received: true };
    parts.push(part);
    next = part.last + 1;
  }
  if (next <= last) parts.push({ first: next, last, received: false });
  return parts;
}

export function bytesOf(ranges: readonly InclusiveRange[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

import type { ChunkRange, InclusiveRange } from "@sallyport/core";

/** The range that a request asks for: `null` for the whole file, `undefined` for one that is not satisfiable. */
export function requestedRange(header: string | undefined, size: number): InclusiveRange | null | undefined {
  if (header === undefined || !/^[\t ]*bytes[\t ]*=/i.test(header)) return null;
  // Several ranges may be ignored (RFC 9110). They would need a multipart answer.
  if (header.includes(",")) return null;
  // Numbers of any length: beyond 2^53 they are not exact, but beyond the end of every file.
  const [, from = "", to = ""] = /^[\t ]*bytes[\t ]*=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(header) ?? [];
  if (from === "" && to === "") return undefined;
  const last = size - 1;
  if (from === "") return Number(to) === 0 ? undefined : { first: Math.max(0, size - Number(to)), last };
  const range = { first: Number(from), last: to === "" ? last : Math.min(Number(to), last) };
  return range.first > range.last ? undefined : range;
}

/** Parses `bytes a-b/total` or `bytes a-b/*`. Returns `undefined` for anything else. */
export function parseContentRange(header: string): ChunkRange | undefined {
  const [, first, last, total] = /^[\t ]*bytes[\t ]+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)[\t ]*$/i.exec(header) ?? [];
  if (total === undefined) return undefined;
  return { first: Number(first), last: Number(last), total: total === "*" ? null : Number(total) };
}

/** Whether a list of entity tags (`If-None-Match`) has this one. Weak comparison. */
export function listsTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return Array.from(header.matchAll(/(?:W\/)?("[^"]*")/g), ([, each]) => each).includes(tag);
}

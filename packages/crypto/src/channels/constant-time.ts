// Comparisons and choices without branches, for what an attacker must not measure. Numbers are integers from 0 to 2^30; a
// mask is -1 for yes and 0 for no, so that masks are combined with `&`, `|` and `~`.

/** Whether a number is 0. */
export function maskZero(value: number): number {
  return ~((value | -value) >> 31);
}

/** Whether two numbers are equal. */
export function maskEqual(a: number, b: number): number {
  return maskZero(a ^ b);
}

/** Whether the first number is the smaller one. */
export function maskLess(a: number, b: number): number {
  return (a - b) >> 31;
}

/** The first value for yes, the second for no. */
export function select(mask: number, yes: number, no: number): number {
  return (mask & yes) | (~mask & no);
}

/** Whether two arrays of the same length have the same bytes. */
export function maskSameBytes(a: Uint8Array, b: Uint8Array): number {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return maskZero(difference);
}

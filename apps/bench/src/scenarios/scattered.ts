const mostPlaces = 512;
/** A prime above all numbers of places, so that none repeats before all were visited. */
const stride = 7_919;

/** At most 512 places from 0 below `count`, spread over all of it and in no order that a cache would like. */
export function scattered(count: number): number[] {
  const places = Math.min(count, mostPlaces);
  return Array.from({ length: places }, (_, index) => Math.floor((((index * stride) % places) * count) / places));
}

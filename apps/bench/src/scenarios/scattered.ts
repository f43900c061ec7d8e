const mostRequests = 512;
/** Coprime to every count in use, so that no place repeats before all were visited. */
const stride = 7_919;

/** Places from 0 below `count`, spread over all of it and in no order that a cache would like. */
export function scattered(count: number): number[] {
  const step = Math.max(1, Math.floor(count / mostRequests));
  return Array.from({ length: Math.min(count, mostRequests) }, (_, index) => ((index * stride) % Math.min(count, mostRequests)) * step);
}

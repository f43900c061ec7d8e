/** Milliseconds that a measurement takes at least. */
const enough = 20;

/** Measurements of each size. The least counts, because other threads of the process add to the others. */
const rounds = 3;

/** Milliseconds of processor time that the work takes. Unlike a duration, it does not depend on other processes of the machine. */
export function processorTimeOf(work: () => void): number {
  return Math.min(...Array.from({ length: rounds }, () => measure(work)));
}

/**
 * The factor by which the processor time of work grows between two sizes: about their ratio if it is linear, the square of the
 * ratio if it is quadratic. It is the same on a fast and on a slow machine.
 */
export function growthOf(work: (size: number) => void, from: number, to: number): number {
  const small = processorTimeOf(() => work(from));
  return processorTimeOf(() => work(to)) / small;
}

function measure(work: () => void): number {
  const before = process.cpuUsage();
  for (let times = 1; ; times += 1) {
    work();
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    if (milliseconds >= enough) return milliseconds / times;
  }
}

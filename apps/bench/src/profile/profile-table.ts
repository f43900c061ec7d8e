import { areaOf } from "./area-of.ts";
import type { SelfTime } from "./self-times.ts";

const longest = 45;

/**
 * Where the processor time of a request goes, area by area and function by function. The profiler measures by the clock
 * on the wall, which runs on while others have the processor, so its shares are laid over the microseconds really used.
 */
export function profileTable(name: string, times: readonly SelfTime[], cpu: number): string {
  const total = times.reduce((sum, { self }) => sum + self, 0);
  const line = (where: string, self: number) =>
    `${((self / total) * cpu).toFixed(2).padStart(9)}  ${((self / total) * 100).toFixed(1).padStart(5)} %  ${where}`;
  const areas = new Map<string, number>();
  for (const { where, self } of times) areas.set(areaOf(where), (areas.get(areaOf(where)) ?? 0) + self);
  return [
    `${name}: ${cpu.toFixed(1)} µs a request under the profiler, by area:`,
    ...Array.from(areas)
      .toSorted(([, a], [, b]) => b - a)
      .map(([area, self]) => line(area, self)),
    "  and in the function itself:",
    ...times.slice(0, longest).map(({ where, self }) => line(where, self)),
  ].join("\n");
}

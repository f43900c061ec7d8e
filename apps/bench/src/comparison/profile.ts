import { readFile } from "node:fs/promises";

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

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface SelfTime {
  /** Function and place. */
  readonly where: string;
  /** Microseconds. */
  readonly self: number;
}

/** Time spent in each function itself, not in what it calls; longest first. Idle time is left out. */
export async function selfTimes(file: string): Promise<SelfTime[]> {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, "utf8")) as CpuProfile;
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const where = places.get(id) ?? "?";
    times.set(where, (times.get(where) ?? 0) + (timeDeltas[index] ?? 0));
  }
  times.delete("(idle)");
  return Array.from(times, ([where, self]) => ({ where, self })).toSorted((a, b) => b.self - a.self);
}

function placeOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const file = url
    .replace(/^file:\/\//, "")
    .replace(/^.*\/node_modules\/(?!@sallyport)/, "")
    .replace(/^.*\/((?:packages|apps)\/)/, "$1");
  return file === "" ? name : `${name}  ${file}:${lineNumber + 1}`;
}

/** Whose code a place of a profile is: one of our packages, a package of others, Node, or the engine and the system below. */
export function areaOf(where: string): string {
  const [, file] = where.split("  ");
  if (file === undefined) return where === "(garbage collector)" ? "garbage collector" : "native code and system calls";
  if (file.startsWith("node:")) return "Node";
  return /^(?:packages|apps)\/[^/]+/.exec(file)?.[0] ?? (file.split("/")[0] || "other");
}

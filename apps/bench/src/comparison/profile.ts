import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MeasuredProcess } from "../processes/measured-process.ts";

const maxRows = 45;

/** Profiles a server during some work, which returns the number of requests. Writes the profile and returns its summary. */
export async function profiled(
  server: MeasuredProcess,
  name: string,
  directory: string,
  work: () => Promise<number>,
): Promise<string> {
  const file = join(directory, `${name.replaceAll(/[^A-Za-z0-9]+/g, "-")}.cpuprofile`);
  const before = await server.ask("sample");
  await server.ask("startProfile");
  const requests = await work();
  await server.ask("stopProfile", file);
  const after = await server.ask("sample");
  return profileTable(name, await selfTimes(file), (after.cpu - before.cpu) / requests);
}

/**
 * CPU time of one request by area and by function. The profiler samples wall-clock time, which also passes while other
 * processes run. The shares are therefore scaled to the CPU time that was used: `cpu`, in microseconds.
 */
function profileTable(name: string, times: readonly SelfTime[], cpu: number): string {
  const total = times.reduce((sum, { self }) => sum + self, 0);
  const line = (owner: string, self: number) =>
    `${((self / total) * cpu).toFixed(2).padStart(9)}  ${((self / total) * 100).toFixed(1).padStart(5)} %  ${owner}`;
  const areas = new Map<string, number>();
  for (const { place, self } of times) {
    const area = areaOf(place);
    areas.set(area, (areas.get(area) ?? 0) + self);
  }
  return [
    `${name}: ${cpu.toFixed(1)} µs a request under the profiler, by area:`,
    ...Array.from(areas)
      .toSorted(([, a], [, b]) => b - a)
      .map(([area, self]) => line(area, self)),
    "  and in the function itself:",
    ...times.slice(0, maxRows).map(({ place, self }) => line(textOf(place), self)),
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

/** A function. */
interface Place {
  readonly name: string;
  /** Path from the repository or package, and line; `undefined` for native code. */
  readonly source?: string;
}

interface SelfTime {
  readonly place: Place;
  /** Microseconds. */
  readonly self: number;
}

/** Self time of each function, longest first, without idle time. */
async function selfTimes(file: string): Promise<SelfTime[]> {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, "utf8")) as CpuProfile;
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  // A function has a node for each of its callers.
  const times = new Map<string, { readonly place: Place; self: number }>();
  for (const [index, id] of samples.entries()) {
    const place = places.get(id) ?? { name: "?" };
    const time = times.get(textOf(place)) ?? { place, self: 0 };
    time.self += timeDeltas[index] ?? 0;
    times.set(textOf(place), time);
  }
  times.delete("(idle)");
  return [...times.values()].toSorted((a, b) => b.self - a.self);
}

function placeOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): Place {
  const name = functionName === "" ? "(anonymous)" : functionName;
  const file = url
    .replace(/^file:\/\//, "")
    .replace(/^.*\/node_modules\/(?!@sallyport)/, "")
    .replace(/^.*\/((?:packages|apps)\/)/, "$1");
  return file === "" ? { name } : { name, source: `${file}:${lineNumber + 1}` };
}

function textOf({ name, source }: Place): string {
  return source === undefined ? name : `${name}  ${source}`;
}

/** The owner of a function: a package of ours, a third-party package, Node, or native code. */
export function areaOf({ name, source }: Place): string {
  if (source === undefined)
    return name === "(garbage collector)" ? "garbage collector" : "native code and system calls";
  if (source.startsWith("node:")) return "Node";
  return /^(?:packages|apps)\/[^/]+/.exec(source)?.[0] ?? (source.split("/")[0] || "other");
}

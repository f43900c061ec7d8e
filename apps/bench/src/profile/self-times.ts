import { readFile } from "node:fs/promises";

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface SelfTime {
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

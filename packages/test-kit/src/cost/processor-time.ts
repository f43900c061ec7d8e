import { readdirSync, readFileSync } from "node:fs";

interface Usage {
  readonly parent: number;
  /** Of the process, and of its children that have ended. */
  readonly seconds: number;
}

/** Linux reports times in hundredths of a second. */
const ticks = 100;

/**
 * The seconds of processor time (user and system) of this process, of its descendants, and of the processes whose
 * environment contains `mark`, which may have left their parents. `null`: this system does not tell, as it is not Linux.
 */
export function processorTime(mark: string): number | null {
  if (process.platform !== "linux") return null;
  const usages = new Map<number, Usage>();
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name)) {
      const usage = usageOf(name);
      if (usage !== null) usages.set(Number(name), usage);
    }
  const isOfRun = (id: number): boolean => {
    const parent = usages.get(id)?.parent ?? 0;
    return id === process.pid || (parent > 0 && isOfRun(parent)) || textOf(id, "environ").includes(mark);
  };
  let total = 0;
  for (const [id, { seconds }] of usages) if (isOfRun(id)) total += seconds;
  return total;
}

/** The seconds of this process, and of its children that have ended. 0: this system does not tell. */
export function ownProcessorTime(): number {
  return usageOf("self")?.seconds ?? 0;
}

function usageOf(id: string): Usage | null {
  const text = textOf(id, "stat");
  if (text === "") return null;
  // The name of the program, in parentheses, may contain spaces.
  const [, parent, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const times = fields.slice(9, 13).map(Number);
  return { parent: Number(parent), seconds: times.reduce((sum, time) => sum + time, 0) / ticks };
}

/** Empty if the process has ended, or this one may not read it. */
function textOf(id: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${id}/${name}`, "latin1");
  } catch {
    return "";
  }
}

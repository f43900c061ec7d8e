/** Preloaded into a measured process with `node --import`. Answers the bench over the IPC channel. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

/** Milliseconds. The histogram measures tick to tick, so an idle loop shows this value. */
const resolution = 10;

/** Milliseconds until an idle server settles. */
const rest = 2_000;

const histogram = monitorEventLoopDelay({ resolution });
let profiler: Session | undefined;

/** Milliseconds. */
const memoryInterval = 20;
let memoryTimer: NodeJS.Timeout | undefined;
let peakMemory = 0;

const answers = {
  /** User and system CPU time of all threads and child processes in microseconds since the start, and resident memory in bytes. */
  sample() {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system + childrenCpu(), residentMemory: process.memoryUsage.rss() };
  },

  /** Resident memory in bytes of the idle process. */
  async restingMemory() {
    await pause(rest);
    return process.memoryUsage.rss();
  },

  watchLoop() {
    histogram.reset();
    histogram.enable();
  },

  /** Event loop delay in milliseconds since `watchLoop`. */
  loopDelay() {
    histogram.disable();
    const lateness = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
    return { p99: lateness(histogram.percentile(99)), longest: lateness(histogram.max) };
  },

  /** Bytes of live objects and their buffers. Resident memory hides them in pages that earlier requests have filled. */
  async liveMemory() {
    const [v8, vm] = [await import("node:v8"), await import("node:vm")];
    v8.setFlagsFromString("--expose-gc");
    (vm.runInNewContext("gc") as () => void)();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },

  watchMemory() {
    peakMemory = process.memoryUsage.rss();
    memoryTimer = setInterval(() => {
      peakMemory = Math.max(peakMemory, process.memoryUsage.rss());
    }, memoryInterval).unref();
  },

  /** The largest resident memory in bytes since `watchMemory`. */
  peakMemory() {
    clearInterval(memoryTimer);
    return Math.max(peakMemory, process.memoryUsage.rss());
  },

  async startProfile() {
    // Loaded on demand, so that it adds nothing to start time and memory.
    const inspector = await import("node:inspector/promises");
    profiler = new inspector.Session();
    profiler.connect();
    await profiler.post("Profiler.enable");
    await profiler.post("Profiler.setSamplingInterval", { interval: 200 });
    await profiler.post("Profiler.start");
  },

  async stopProfile(file: string) {
    const stopped = await profiler?.post("Profiler.stop");
    profiler?.disconnect();
    profiler = undefined;
    if (stopped !== undefined) writeFileSync(file, JSON.stringify(stopped.profile));
  },
};

/** Linux reports the CPU time of other processes in hundredths of a second. */
const microsecondsPerTick = 10_000;

/** Microseconds of CPU time of the running child processes; 0 where the system does not report it. */
function childrenCpu(): number {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(" ");
    const times = children.filter(Boolean).map((pid) => {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
    });
    return times.reduce((sum, time) => sum + time, 0);
  } catch {
    return 0;
  }
}

/** The questions that a probe answers. */
export type ProbeQuestion = keyof typeof answers;
export type ProbeArguments<Asked extends ProbeQuestion> = Parameters<(typeof answers)[Asked]>;
export type Answer<Asked extends ProbeQuestion> = Awaited<ReturnType<(typeof answers)[Asked]>>;

/** A question in transit. */
export interface ProbeRequest {
  /** The number of the question, which its answer has, too. No message of the product has this member. */
  readonly probe: number;
  readonly question: ProbeQuestion;
  readonly args: readonly string[];
}

export interface ProbeResponse {
  readonly probe: number;
  readonly answer: Answer<ProbeQuestion>;
}

if (isMainThread && process.send !== undefined) {
  process.on("message", async (message: ProbeRequest | { readonly probe?: undefined }) => {
    // A worker of the product gets messages of its primary process, too.
    if (message.probe === undefined) return;
    const {
      probe: id,
      question,
      args: [file = ""],
    } = message;
    process.send?.({ probe: id, answer: await answers[question](file) } satisfies ProbeResponse);
  });
  // A killed bench must not leave servers behind.
  process.on("disconnect", () => process.exit(0));
  // The channel alone must not keep a closed server alive.
  process.channel?.unref();
}

/** Preloaded into a measured process with `node --import`. Answers the bench over the IPC channel. */
import { writeFileSync } from "node:fs";
import type { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** Milliseconds. The histogram measures tick to tick, so an idle loop shows this value. */
const resolution = 10;

const histogram = monitorEventLoopDelay({ resolution });
let profiler: Session | undefined;

/** Milliseconds. */
const memoryInterval = 20;
let memoryTimer: NodeJS.Timeout | undefined;
let peakMemory = 0;

const answers = {
  /** User and system CPU time of all threads in microseconds since the start, and resident memory in bytes. */
  sample() {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system, residentMemory: process.memoryUsage.rss() };
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

/** The questions that a probe answers. */
export type ProbeQuestion = keyof typeof answers;
export type ProbeArguments<Asked extends ProbeQuestion> = Parameters<(typeof answers)[Asked]>;
export type Answer<Asked extends ProbeQuestion> = Awaited<ReturnType<(typeof answers)[Asked]>>;

/** A question in transit. The answer carries the same number. */
export interface ProbeRequest {
  readonly probe: number;
  readonly question: ProbeQuestion;
  readonly given: readonly string[];
}

export interface ProbeResponse {
  readonly probe: number;
  readonly answer: Answer<ProbeQuestion>;
}

if (isMainThread && process.send !== undefined) {
  process.on("message", async ({ probe, question, given: [file = ""] }: ProbeRequest) => {
    process.send?.({ probe, answer: await answers[question](file) } satisfies ProbeResponse);
  });
  // A killed bench must not leave servers behind.
  process.on("disconnect", () => process.exit(0));
  // The channel alone must not keep a closed server alive.
  process.channel?.unref();
}

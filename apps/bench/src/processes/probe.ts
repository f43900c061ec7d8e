/** What the probe inside a measured process is asked. */
export type ProbeQuestion =
  | { readonly ask: "sample" }
  | { readonly ask: "watchLoop" }
  | { readonly ask: "loopDelay" }
  | { readonly ask: "startProfile" }
  | { readonly ask: "stopProfile"; readonly file: string };

/** Time and memory of a process up to now. */
interface ProcessSample {
  /** Microseconds of processor time, user and system together, of all threads. */
  readonly cpu: number;
  /** Bytes. */
  readonly residentMemory: number;
}

/** Milliseconds by which the event loop came late since it is watched. */
export interface LoopDelay {
  readonly p99: number;
  readonly longest: number;
}

export interface ProbeAnswers {
  readonly sample: ProcessSample;
  readonly watchLoop: null;
  readonly loopDelay: LoopDelay;
  readonly startProfile: null;
  readonly stopProfile: null;
}

/** A question on its way; the answer comes back under the same number. */
export interface ProbeRequest {
  readonly probe: number;
  readonly question: ProbeQuestion;
}

export interface ProbeResponse {
  readonly probe: number;
  readonly answer: ProbeAnswers[keyof ProbeAnswers];
}

/** Loaded before the program of a measured process (`node --import`): answers the bench over the IPC channel. */
import { writeFileSync } from "node:fs";
import type { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

/** Milliseconds; the histogram counts from tick to tick, so an idle loop shows this much. */
const resolution = 10;

const histogram = monitorEventLoopDelay({ resolution });
let profiler: Session | undefined;

async function answer(question: ProbeQuestion): Promise<ProbeAnswers[keyof ProbeAnswers]> {
  switch (question.ask) {
    case "sample": {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system, residentMemory: process.memoryUsage.rss() };
    }
    case "watchLoop":
      histogram.reset();
      histogram.enable();
      return null;
    case "loopDelay":
      histogram.disable();
      return loopDelay();
    case "startProfile":
      await startProfile();
      return null;
    case "stopProfile":
      await stopProfile(question.file);
      return null;
  }
}

function loopDelay(): LoopDelay {
  const lateness = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
  return { p99: lateness(histogram.percentile(99)), longest: lateness(histogram.max) };
}

async function startProfile(): Promise<void> {
  // Loaded when it is wanted, so that it counts neither for start nor for memory.
  const inspector = await import("node:inspector/promises");
  profiler = new inspector.Session();
  profiler.connect();
  await profiler.post("Profiler.enable");
  await profiler.post("Profiler.setSamplingInterval", { interval: 200 });
  await profiler.post("Profiler.start");
}

async function stopProfile(file: string): Promise<void> {
  const stopped = await profiler?.post("Profiler.stop");
  profiler?.disconnect();
  profiler = undefined;
  if (stopped !== undefined) writeFileSync(file, JSON.stringify(stopped.profile));
}

if (isMainThread && process.send !== undefined) {
  process.on("message", (request: ProbeRequest) => {
    void answer(request.question).then((given) => {
      process.send?.({ probe: request.probe, answer: given } satisfies ProbeResponse);
    });
  });
  // A bench that was killed must not leave servers behind.
  process.on("disconnect", () => process.exit(0));
  // The channel alone must not keep a server alive that has shut down.
  process.channel?.unref();
}

/** What the probe inside a measured process is asked. */
export type ProbeQuestion =
  | { readonly ask: "sample" }
  | { readonly ask: "watchLoop" }
  | { readonly ask: "loopDelay" }
  | { readonly ask: "startProfile" }
  | { readonly ask: "stopProfile"; readonly file: string };

/** Time and memory of a process up to now. */
export interface ProcessSample {
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

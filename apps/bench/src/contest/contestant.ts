import type { Figures } from "./figures.ts";

/** Something that can be measured again and again. */
export interface Contestant {
  readonly name: string;
  /** Runs it for so many seconds. */
  measure(seconds: number): Promise<Figures>;
  /** Runs it once more under the profiler, which writes into the directory; gives a summary. */
  profile?(seconds: number, directory: string): Promise<string>;
}

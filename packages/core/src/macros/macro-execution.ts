import type { MacroLease } from "./macro-runtime.ts";

/** The execution that a use case was called from; hooks of what it does run under the same lease. */
export interface MacroExecution {
  readonly lease: MacroLease;
  /** How many modules called one another until here: 1 for the macro that the client named. */
  readonly depth: number;
  /** When it has to be over, by `Date.now()`. */
  readonly deadline: number;
  /** What its modules may write into the log, all together. */
  readonly lines: LineAllowance;
}

/** How deep modules may call one another. */
export const deepestExecution = 8;

const mostLines = 500;
const mostCharacters = 131_072;

/** How much the modules of one execution may write into the log, however many they are and however often they are called. */
export class LineAllowance {
  private lines = 0;
  private characters = 0;

  /** What is to be written for a line: itself, once that further ones are left out, and then nothing. */
  take(line: string): string | null {
    if (this.lines > mostLines) return null;
    this.lines += 1;
    this.characters += line.length;
    if (this.lines <= mostLines && this.characters <= mostCharacters) return line;
    this.lines = mostLines + 1;
    return "further lines of this execution are left out";
  }
}

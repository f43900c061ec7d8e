import type { WriteStream } from "node:tty";

export interface TerminalStyle {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

const as = (code: number) => (text: string) => `\u001B[${code}m${text}\u001B[0m`;

const plain = (text: string) => text;

export const plainStyle: TerminalStyle = { strong: plain, faint: plain, good: plain, bad: plain };

/** Colours on a terminal that supports them, else plain text. `hasColors` respects `NO_COLOR`. */
export function terminalStyle(stream: Partial<Pick<WriteStream, "isTTY" | "hasColors">>): TerminalStyle {
  const colourful = stream.isTTY === true && stream.hasColors?.() === true;
  return colourful ? { strong: as(1), faint: as(2), good: as(32), bad: as(31) } : plainStyle;
}

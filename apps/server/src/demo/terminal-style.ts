import type { WriteStream } from "node:tty";

/** How text is emphasised. */
export interface TerminalStyle {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

const as = (code: number) => (text: string) => `\u001B[${code}m${text}\u001B[0m`;

const plain = (text: string) => text;

/** Colours on a terminal that has them, unless `NO_COLOR` is set; plain text everywhere else. */
export function terminalStyle(
  stream: Pick<WriteStream, "isTTY"> & Partial<Pick<WriteStream, "hasColors">>,
): TerminalStyle {
  const colourful = stream.isTTY && stream.hasColors?.() === true;
  return colourful ? { strong: as(1), faint: as(2) } : { strong: plain, faint: plain };
}

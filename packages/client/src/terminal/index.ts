export { isClosedPipe, outliveReaders } from "./closed-pipes.ts";
export { didYouMean } from "./did-you-mean.ts";
export { type ExplainedRefusal, explanationLines } from "./explanation.ts";
export { hiddenLine } from "./prompt.ts";
export { ProgressLine, type ProgressStream, terminalStyle, type TerminalStyle } from "./screen.ts";
export { byteText, type FittedTable, fittedTable, printable, shortened, tableLines } from "./table-lines.ts";

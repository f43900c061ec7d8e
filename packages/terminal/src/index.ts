export { didYouMean } from "./did-you-mean.ts";
export { hiddenLine } from "./prompt.ts";
export { ProgressLine, type ProgressStream, terminalStyle, type TerminalStyle } from "./screen.ts";
export { fittedRows, printable, tableLines } from "./table-lines.ts";

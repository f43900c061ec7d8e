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

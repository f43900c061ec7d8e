/** An archive is not what was once written; the message says in which line. */
export class ArchiveFault extends Error {
  override readonly name = "ArchiveFault";

  constructor(line: number, what: string, options?: ErrorOptions) {
    super(`line ${line.toLocaleString("en")}: ${what}`, options);
  }
}

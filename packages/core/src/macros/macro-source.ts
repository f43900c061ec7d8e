/** The text of a module, wherever it is kept. */
export interface MacroText {
  readonly name: string;
  readonly language: "js" | "ts";
  readonly text: string;
  /** Where it stands, for the log: a file, or a version in the database. */
  readonly origin: string;
}

/** Port: a place outside of the database that holds the texts of macros, such as a folder of the deployment. */
export interface MacroSource {
  /** Rises whenever it becomes known that something has changed. Asking costs nothing. */
  readonly generation: number;
  /** All texts of now. One that cannot be read is left out, and told to whoever runs the server. */
  read(): Promise<readonly MacroText[]>;
}

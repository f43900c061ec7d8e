/** Port: what holds for a database as a whole. */
export interface SettingsRepository {
  read(): Promise<Settings>;

  /** Takes the database out of service, or back into it; admission reports it. */
  setMaintenance(on: boolean): Promise<void>;

  /** Tells servers to read the macros again: the generation is one higher than before. */
  raiseMacroGeneration(): Promise<void>;

  /**
   * Whether the database holds no app key, account or object, and its model is that of the migration. Records do not count.
   */
  isEmpty(): Promise<boolean>;
}

export interface Settings {
  readonly maintenance: boolean;
  /** Number of the current model. */
  readonly modelGeneration: number;
  /** The same of the macros in the database; 0 in a new one. */
  readonly macroGeneration: number;
}

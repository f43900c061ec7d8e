/** Port: settings of a whole database. */
export interface SettingsRepository {
  read(): Promise<Settings>;

  /** Switches maintenance mode on or off. Admission reports it. */
  setMaintenance(on: boolean): Promise<void>;

  /** Raises the settings generation by one, so that servers reload what they cache of macros and limits. */
  raise(): Promise<void>;

  /** Whether the database has no app key, account or object, and the model of the migration. Records do not count. */
  isEmpty(): Promise<boolean>;
}

export interface Settings {
  readonly maintenance: boolean;
  /** Generation of the current model. */
  readonly modelGeneration: number;
  /** Generation of the macros and limits in the database; 0 in a new database. */
  readonly settingsGeneration: number;
}

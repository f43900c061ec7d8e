/** Port: changes of the settings of a database. Admission reads them. */
export interface SettingsRepository {
  /** Switches maintenance mode on or off. */
  setMaintenance(on: boolean): Promise<void>;

  /** Raises the settings generation by one, so that servers reload what they cache of macros and limits. */
  raise(): Promise<void>;

  /** Whether the database has no app key, account or object, and the model of the migration. Records do not count. */
  isEmpty(): Promise<boolean>;
}

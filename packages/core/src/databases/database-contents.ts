/** Port: what a database holds, seen as a whole. */
export interface DatabaseContents {
  /**
   * Whether nobody has put anything into the database since it was migrated: no app key, app name, account or object,
   * no macro, and no change of the model.
   */
  isEmpty(): Promise<boolean>;
}

/** Port: the switch that takes a database out of service; admission reports its state. */
export interface MaintenanceSwitch {
  set(on: boolean): Promise<void>;
}

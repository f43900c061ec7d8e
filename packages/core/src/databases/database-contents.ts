/** Port: what a database holds, seen as a whole. */
export interface DatabaseContents {
  /**
   * Whether nobody has put anything into the database since it was migrated: no app key, app name, account or object,
   * no macro, and no change of the model.
   */
  isEmpty(): Promise<boolean>;
}

/** Who asked for what runs. Everything a module does, it does with this user's rights. */
export interface Caller {
  readonly userId: string;
  /** The user's name. */
  readonly name: string;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly administrator: boolean;
  /** App names of the session. */
  readonly appNames: readonly string[];
  /** Alias of the database. */
  readonly database: string;
}

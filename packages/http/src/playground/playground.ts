/** What opens the demo, for whoever tries it out. */
export interface DemoAccess {
  readonly appKey: string;
  readonly appNames: readonly string[];
  readonly users: readonly { readonly name: string; readonly password: string; readonly may: string }[];
}

/** Port: what the page at `/docs` needs to know of the deployment. */
export interface Playground {
  /** The demo in the database with the alias; `null` if it holds anything else. */
  demo(alias: string): DemoAccess | null;
}

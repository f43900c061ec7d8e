/** Whether the server can do its work, per database. */
export interface Readiness {
  readonly ready: boolean;
  /** By alias; the empty alias stands as `(empty)`. `ok`, or the name of the failure. */
  readonly databases: Readonly<Record<string, string>>;
}

/** Port: what those who run the server ask it. */
export interface Operations {
  readiness(): Promise<Readiness>;
  /** The metrics as text, with the content type of their format. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Who may read the metrics. */
  readonly metricsAccess: "loopback" | "any" | "off";
}

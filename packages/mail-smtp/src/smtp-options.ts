/** How the relay is reached and what is asked of it. */
export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** `tls`: encrypted from the first byte. `startTls`: encrypted before anything is said, or not at all. `none`: readable on the way. */
  readonly security: "tls" | "startTls" | "none";
  /** `null`: the relay lets this server in as it is. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** PEM of the authorities that may vouch for the relay; those that Node knows unless given. */
  readonly authorities?: string;
  /** Milliseconds that the relay may take for a connection, its greeting, or any answer. */
  readonly timeout: number;
}

/** Who writes. */
export interface Sender {
  /** One address, as `mailAddress` of core takes it. */
  readonly address: string;
  readonly name: string;
}

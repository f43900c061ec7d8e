/** What both ends of a secure session share, as storage keeps it. It ends with its session. */
export interface Channel {
  /** The symmetric key of the session, wrapped; storage never sees the key itself. */
  readonly wrappedKey: string;
  /** Three random bytes that every counter block of the session holds. */
  readonly ivPrefix: Uint8Array;
}

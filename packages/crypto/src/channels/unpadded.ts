/** What a padding turned out to hold. */
export interface Unpadded {
  /** A mask: -1 if the padding was right, 0 if not. Not to be branched upon for PKCS#1 v1.5. */
  readonly good: number;
  /** The message; something of no meaning where the padding was wrong. */
  readonly message: Uint8Array;
}

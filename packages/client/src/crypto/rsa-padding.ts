/** How RSA blocks are padded. */
export type RsaPadding = "OAEP-SHA-256" | "OAEP-SHA-1";

interface RsaScheme {
  readonly hash: "SHA-256" | "SHA-1";
  /** Bytes of a block that the padding takes. */
  readonly overhead: number;
}

export const rsaSchemes: Readonly<Record<RsaPadding, RsaScheme>> = {
  "OAEP-SHA-256": { hash: "SHA-256", overhead: 66 },
  "OAEP-SHA-1": { hash: "SHA-1", overhead: 42 },
};

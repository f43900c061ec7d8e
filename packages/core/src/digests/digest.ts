/** A SHA-256 as 64 lowercase hexadecimal digits. Secrets reach storage in this form only. */
export type Digest = string;

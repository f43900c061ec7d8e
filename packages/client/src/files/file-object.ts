import type { BusinessObject } from "../objects.ts";

/** An object of class `File`. */
export type FileObject = BusinessObject<{
  readonly Name: string;
  /** Number of bytes. */
  readonly Size: number;
  readonly MediaType: string | null;
  /** 64 lowercase hex digits. */
  readonly Sha256: string;
}>;

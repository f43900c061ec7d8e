import type { BlockKey, OpenedBlocks } from "./open-blocks.ts";

/** What the thread is asked; it answers in the order of the requests. */
export interface BlockRequest {
  readonly bytes: Uint8Array;
  readonly keys: readonly BlockKey[];
}

export type BlockReply = { readonly opened: OpenedBlocks | undefined } | { readonly failed: string };

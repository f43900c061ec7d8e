import type { ClientKey } from "./client-key.ts";
import type { RsaPadding } from "./rsa-padding.ts";

/** Port: encrypting the answer to a log-in for the client. */
export interface AnswerCipher {
  /**
   * Encrypts bytes block by block, each block as full as the padding allows, and returns base64 of the blocks joined.
   * No bytes become one block. Gives way to other work between the blocks of a long answer.
   */
  seal(key: ClientKey, padding: RsaPadding, plain: Uint8Array): Promise<string>;
}

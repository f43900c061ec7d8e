import { ChannelError } from "../errors/channel-error.ts";
import { codeOf, successOf } from "../transport/envelope.ts";
import type { IncomingMessage } from "../transport/message.ts";

/**
 * The payload of the encrypted answer to a log-in; a refusal comes in clear text. The decryption answers `undefined` for
 * what it cannot decrypt.
 */
export async function decryptedAnswer(
  answer: IncomingMessage,
  decrypt: (text: string) => Promise<Uint8Array | undefined>,
): Promise<unknown> {
  const code = codeOf(answer);
  if (code === 0) throw new ChannelError("clear-answer");
  // A refusal, or somebody else's error page: in both cases this throws.
  if (code !== undefined || answer.status !== 200) return successOf(answer).data;
  const body = await decrypt(new TextDecoder().decode(answer.body));
  if (body === undefined) throw new ChannelError("log-in-answer");
  return successOf({ ...answer, body }).data;
}

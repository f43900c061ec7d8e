import { headerNames } from "@sallyport/contract/header-names";
import { publicKeyText } from "../crypto/client-key-pair.ts";
import { openHybrid, sealHybrid } from "../crypto/hybrid-message.ts";
import { HeaderSession } from "../sessions/header-session.ts";
import type { Transport } from "../transport/transport.ts";
import { decryptedAnswer } from "./decrypted-answer.ts";
import { logInBody } from "./log-in-body.ts";
import { logInKeys } from "./log-in-keys.ts";
import type { EncryptedLogInOptions } from "./log-in-options.ts";
import { credentialOf, type LogInData, type OpenedSession, openedSession } from "./log-in-result.ts";
import { postLogIn } from "./post-log-in.ts";

/** Token mode with an encrypted log-in: AES-256-CBC, its key under RSA, in both directions. */
export async function logInEncrypted(
  transport: Transport,
  options: EncryptedLogInOptions,
  signal: AbortSignal,
): Promise<OpenedSession> {
  const { serverKey, keyPair } = await logInKeys(
    transport,
    { ...options, path: "/v2/login/key", padding: "OAEP-SHA-256" },
    signal,
  );
  const sealed = await sealHybrid(serverKey, new TextEncoder().encode(logInBody(options)));
  const body = JSON.stringify({ ...sealed, publicKey: await publicKeyText(keyPair) });
  const answer = await postLogIn(transport, "/v2/login", body, signal);
  const data = await decryptedAnswer(answer, (text) => openHybrid(keyPair.privateKey, text));
  const { token, ...common } = data as LogInData & { token: string };
  return openedSession(
    new HeaderSession("encrypted", headerNames.authorization, `Bearer ${credentialOf(token)}`),
    common,
  );
}

import type { RandomSource } from "../../digests/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type { SerializedObject } from "../../storage/index.ts";
import type { EnterWithPassword, LogInInput } from "../sessions/enter-with-password.ts";
import type { ChannelSecrets } from "./channel-secrets.ts";

export interface SecureLogInResult {
  /** Sent unchanged as `Secure-Token`. */
  readonly sessionId: string;
  readonly user: SerializedObject;
  /** 32 bytes, for AES-256-CTR. */
  readonly symmetricKey: Uint8Array;
  /** 3 bytes, part of every counter block. */
  readonly ivPrefix: Uint8Array;
  readonly databaseName: string;
}

/** Logs in with the credentials of a database user and opens a session whose traffic is encrypted. */
export class LogInSecurely {
  constructor(
    private readonly enterWithPassword: EnterWithPassword,
    private readonly secrets: ChannelSecrets,
    private readonly random: RandomSource,
  ) {}

  async run(context: AppKeyContext, input: LogInInput): Promise<SecureLogInResult> {
    const { alias, name: databaseName } = context.database;
    const symmetricKey = this.random.bytes(32);
    const ivPrefix = this.random.bytes(3);
    const channel = { wrappedKey: this.secrets.wrapKey(alias, symmetricKey), ivPrefix };
    const { sessionId, user } = await this.enterWithPassword.run(context, input, { mode: "secure", channel });
    return { sessionId: this.secrets.sealSessionId(alias, sessionId), user, symmetricKey, ivPrefix, databaseName };
  }
}

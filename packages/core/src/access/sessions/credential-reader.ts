import { type Digest, type Digests, LruCache, type SessionMode } from "@sallyport/storage";
import type { ProcessorBudget } from "../../capacity/index.ts";
import type { Database } from "../../request/index.ts";
import type { ChannelSecrets } from "../channels/channel-secrets.ts";
import { basisOfSession } from "./resting-sessions.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** The session that a credential refers to. Admission checks whether it exists. */
export interface SessionReference {
  readonly mode: SessionMode;
  readonly digest: Digest;
  /** The session on which it rests; absent for one that rests on none. */
  readonly restsOn?: Digest;
}

/** Hexadecimal digits of the public id of a session. */
const publicDigits = 16;

/** The id of a session in lists and logs. It is not a credential. */
export function publicSessionId(digest: Digest): string {
  return digest.slice(0, publicDigits);
}

const cacheSize = 10_000;

const sessionIds = /^[A-Za-z0-9_-]{43}$/;

/** Reads the credentials of the three session modes. Each credential is valid in its own mode only. */
export class CredentialReader {
  /** Sealed tokens by alias and text. Their session never changes. */
  private readonly secureTokens = new LruCache<string, SessionReference>(cacheSize);

  constructor(
    private readonly digests: Digests,
    private readonly tokens: Tokens,
    private readonly secrets: ChannelSecrets,
    private readonly budget: Pick<ProcessorBudget, "spend">,
  ) {}

  sessionId(text: string): SessionReference | null {
    if (sessionIds.test(text)) return { mode: "session", digest: this.digests.sha256(text) };
    const restsOn = basisOfSession(text);
    return restsOn === null ? null : { mode: "session", digest: this.digests.sha256(text), restsOn };
  }

  /** Reads a token, with or without a `Bearer` prefix. Throws 706 if the network has sent too many invalid ones. */
  authorization(database: Database, text: string, network: string): Promise<SessionReference | null> {
    return this.tokens.read(database, text.replace(/^Bearer +/i, ""), (verify) =>
      this.budget.spend(network, verify, (session) => session !== null),
    );
  }

  secureToken({ alias }: Database, text: string): SessionReference | null {
    const key = `${alias} ${text}`;
    const cached = this.secureTokens.get(key);
    if (cached !== undefined) return cached;
    const sessionId = this.secrets.openSessionId(alias, text);
    if (sessionId === null) return null;
    const reference = { mode: "secure", digest: this.digests.sha256(sessionId) } as const;
    this.secureTokens.set(key, reference);
    return reference;
  }
}

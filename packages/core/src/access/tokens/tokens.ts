import {
  type Digest,
  type Digests,
  LruCache,
  type ObjectId,
  type RandomSource,
  type SessionMode,
} from "@sallyport/storage";
import type { KeyRings, ServerKeyPair } from "../../keys/index.ts";
import type { Database } from "../../request/index.ts";
import { AcceptedTokenKeys } from "./accepted-token-keys.ts";
import type { TokenSigner, TokenVerifier } from "./token-verifier.ts";

const cacheSize = 10_000;

export interface TokenParts {
  readonly keyRings: KeyRings;
  readonly signer: TokenSigner;
  readonly verifier: TokenVerifier;
  readonly random: RandomSource;
  readonly digests: Digests;
  readonly issuer: string;
  /** The process's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** Mode of the session behind a token. `session` if the log-in also returned a session id. */
export type TokenMode = Extract<SessionMode, "session" | "token">;

export interface TokenSession {
  readonly mode: TokenMode;
  readonly digest: Digest;
}

const sessionReference = /^(session|token)\.([0-9a-f]{64})$/;

/** The key id of a token, the accepted keys, and the current time in seconds since 1970. */
interface Signed {
  readonly keyId: string;
  readonly keys: ReadonlyMap<string, ServerKeyPair>;
  readonly now: number;
}

interface VerifiedToken {
  readonly keyId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  readonly session: TokenSession;
}

/**
 * The tokens of the databases: signed references to sessions. A token has its session and its latest expiry. The
 * session's row decides whether the token is still valid.
 *
 * Token times use the process's clock, as holders and other verifiers have no access to the storage's clock. They only
 * shorten the validity of the row. A wrong clock expires tokens early and never extends a session.
 */
export class Tokens {
  private readonly keys: AcceptedTokenKeys;
  private readonly verified = new WeakMap<Database, LruCache<string, VerifiedToken>>();

  constructor(private readonly parts: TokenParts) {
    this.keys = new AcceptedTokenKeys(parts.keyRings, parts.now);
  }

  /** Returns a function that issues a session's token. Call it before opening the session: once the key is loaded, issuing cannot fail. */
  async issuer(
    database: Database,
  ): Promise<(userId: ObjectId, session: { readonly mode: TokenMode; readonly sessionId: string }) => string> {
    const { keyRings, signer, random, digests, issuer: iss, now } = this.parts;
    const key = await keyRings.current("jwt", database);
    return (sub, { mode, sessionId }) => {
      const iat = Math.floor(now() / 1000);
      const exp = iat + Math.ceil(database.policy.sessions.absoluteLifetime / 1000);
      // Claims are public. The digest identifies the session without granting access.
      const sid = `${mode}.${digests.sha256(sessionId)}`;
      const token = signer.sign({ iss, aud: database.name, sub, sid, jti: random.secret(), iat, exp }, key);
      const reference = { mode, digest: digests.sha256(sessionId) };
      this.verifiedOf(database).set(token, { keyId: key.keyId, expiresAt: exp, session: reference });
      return token;
    };
  }

  /**
   * Returns the session of a token, or `null` if the token is foreign, invalid or expired. `bounded` runs the verification
   * of a signature, unless it was issued or verified here before.
   */
  async read(
    database: Database,
    token: string,
    bounded: (verify: () => TokenSession | null) => TokenSession | null = (verify) => verify(),
  ): Promise<TokenSession | null> {
    const cached = this.verifiedOf(database).get(token);
    const keyId = cached?.keyId ?? this.parts.verifier.keyIdOf(token);
    if (keyId === undefined || !this.parts.keyRings.usable) return null;
    const keys = await this.keys.including(keyId, database);
    const now = this.parts.now() / 1000;
    if (cached !== undefined) return now < cached.expiresAt && keys.has(keyId) ? cached.session : null;
    return bounded(() => this.verify(database, token, { keys, keyId, now }));
  }

  /** Verifies the signature once. A verified token stays valid until it expires or its key does. */
  private verify(database: Database, token: string, { keys, keyId, now }: Signed): TokenSession | null {
    const { verifier, issuer } = this.parts;
    const claims = verifier.verify(token, { keys, issuer, audience: database.name, now });
    const [, mode, digest] = sessionReference.exec(claims?.sid ?? "") ?? [];
    if (claims === undefined || digest === undefined) return null;
    const session = { mode: mode as TokenMode, digest };
    this.verifiedOf(database).set(token, { keyId, expiresAt: claims.exp, session });
    return session;
  }

  private verifiedOf(database: Database): LruCache<string, VerifiedToken> {
    let verified = this.verified.get(database.whole);
    if (verified === undefined) this.verified.set(database.whole, (verified = new LruCache(cacheSize)));
    return verified;
  }
}

import { type Digest, type Digests, type RandomSource, Recent } from "../../digests/index.ts";
import type { KeyRings, ServerKeyPair } from "../../keys/index.ts";
import type { Database } from "../../request/index.ts";
import type { ObjectId, SessionMode } from "../../storage/index.ts";
import { AcceptedTokenKeys } from "./accepted-token-keys.ts";
import type { TokenSigner, TokenVerifier } from "./token-verifier.ts";

const cacheSize = 10_000;

export interface TokenParts {
  readonly keyRings: KeyRings;
  readonly signer: TokenSigner;
  readonly verifier: TokenVerifier;
  readonly random: RandomSource;
  readonly digests: Digests;
  /** `iss` of the tokens. */
  readonly issuer: string;
  /** The process's clock, milliseconds since 1970. */
  readonly now: () => number;
}

/** Mode of the session behind a token: `session` if the log-in gave out a session id as well. */
export type TokenMode = Extract<SessionMode, "session" | "token">;

export interface TokenSession {
  readonly mode: TokenMode;
  readonly digest: Digest;
}

const sessionReference = /^(session|token)\.([0-9a-f]{64})$/;

/** By which key a token says it is signed, among which it must be, and when it is asked about: seconds since 1970. */
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
 * The tokens of the databases: signed references to sessions. A token says which session it stands for and until when
 * it could be good at most; whether it still is, the session's row decides.
 *
 * The times of a token are by the clock of the process, not of the storage: its holder and anybody else who checks it have
 * no other. They only ever narrow what the row allows, so a clock that is fast or slow ends tokens early and prolongs
 * nothing.
 */
export class Tokens {
  private readonly keys: AcceptedTokenKeys;
  private readonly verified = new WeakMap<Database, Recent<string, VerifiedToken>>();

  constructor(private readonly parts: TokenParts) {
    this.keys = new AcceptedTokenKeys(parts.keyRings, parts.now);
  }

  /** Makes the token of a session. Called before the session is opened: with the key at hand nothing can fail then. */
  async issuer(
    database: Database,
  ): Promise<(userId: ObjectId, session: { readonly mode: TokenMode; readonly sessionId: string }) => string> {
    const { keyRings, signer, random, digests, issuer: iss, now } = this.parts;
    const key = await keyRings.current("jwt", database);
    return (sub, { mode, sessionId }) => {
      const iat = Math.floor(now() / 1000);
      const exp = iat + Math.ceil(database.policy.sessions.absoluteLifetime / 1000);
      // Claims are for everybody to read: the digest names the session and opens nothing.
      const sid = `${mode}.${digests.sha256(sessionId)}`;
      return signer.sign({ iss, aud: database.name, sub, sid, jti: random.secret(), iat, exp }, key);
    };
  }

  /** What the token stands for; `null` if it is not one of this database's, or over. */
  async read(database: Database, token: string): Promise<TokenSession | null> {
    const known = this.verifiedOf(database).get(token);
    const keyId = known?.keyId ?? this.parts.verifier.keyIdOf(token);
    if (keyId === undefined || !this.parts.keyRings.usable) return null;
    const keys = await this.keys.including(keyId, database);
    const now = this.parts.now() / 1000;
    if (known !== undefined) return now < known.expiresAt && keys.has(keyId) ? known.session : null;
    return this.verify(database, token, { keys, keyId, now });
  }

  /** Checks the signature, once: a token that was good under a key stays so until it expires or the key does. */
  private verify(database: Database, token: string, { keys, keyId, now }: Signed): TokenSession | null {
    const { verifier, issuer } = this.parts;
    const claims = verifier.verify(token, { keys, issuer, audience: database.name, now });
    const [, mode, digest] = sessionReference.exec(claims?.sid ?? "") ?? [];
    if (claims === undefined || digest === undefined) return null;
    const session = { mode: mode as TokenMode, digest };
    this.verifiedOf(database).set(token, { keyId, expiresAt: claims.exp, session });
    return session;
  }

  private verifiedOf(database: Database): Recent<string, VerifiedToken> {
    let verified = this.verified.get(database);
    if (verified === undefined) this.verified.set(database, (verified = new Recent(cacheSize)));
    return verified;
  }
}

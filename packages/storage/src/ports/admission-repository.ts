import type { Digest } from "../digests/index.ts";
import type { AppKey } from "./app-key-repository.ts";
import type { Principal } from "../entities/principal.ts";
import type { Session, SessionMode } from "../entities/session.ts";
import type { ReadPosition } from "../entities/visibility.ts";
import type { RecordValue } from "./record-repository.ts";

/** Port: the look-up that admits each request. Never cached, so a revocation takes effect with the next request. */
export interface AdmissionRepository {
  /**
   * Reads everything in one statement. Extends the idle expiry of a session whose last extension is a `touchInterval` ago
   * before it resolves, so that nothing can lose the extension. It may extend another one in the background, after most of
   * the interval.
   */
  admit(request: AdmissionRequest): Promise<Admission>;

  /**
   * Admits a callback of an identity provider. `state` is the id of a `providerState` record. The call takes the
   * record, except in maintenance mode.
   */
  admitCallback(state: Digest): Promise<CallbackAdmission>;
}

export interface AdmissionRequest {
  /** SHA-256 of the presented app key; `null` if the route needs none. */
  readonly appKey: Digest | null;
  /** SHA-256 of the presented session id; `null` when there is none. */
  readonly session: Digest | null;
  /** Transport of the session id; default `session`. A session of another mode is not found. */
  readonly mode?: SessionMode;
  /** Milliseconds. Extends the session found; see `touchInterval`. 0 extends none. */
  readonly idleTimeout: number;
  /** In a transaction: a session that is found does not end before the transaction. Default: false. */
  readonly lock?: boolean;
}

/** Asks for the settings of the database only. */
export const ofDatabase = { appKey: null, session: null, idleTimeout: 0 } as const satisfies AdmissionRequest;

/** The settings of a database. */
export interface Settings {
  /** Whether the database is in maintenance mode. */
  readonly maintenance: boolean;
  /** Generation of the current model. A different number means that the model has changed. */
  readonly modelGeneration: number;
  /**
   * Generation of the macros and limits in the database; 0 in a new database. A different number means that servers reload
   * them.
   */
  readonly settingsGeneration: number;
}

/** A consistent snapshot of all facts that admit or refuse a request. */
export interface Admission extends Settings {
  /** The app key with the digest; `null` if unknown or not requested. Disabled keys are included. */
  readonly appKey: AppKey | null;
  /**
   * The live session with the digest. It must have the requested mode and this app key, and its account must be enabled
   * and still have the secret version of the session. A session of a custom account or a provider must satisfy its own
   * `AuthenticationMethod` as well. A secure session carries its channel, stored under the same digest. `null`
   * otherwise.
   */
  readonly session: Session | null;
  /** The user of the session; `null` exactly if `session` is `null`. */
  readonly principal: Principal | null;
  /** The state of the database at this admission. Adapters without replicas leave it out. */
  readonly position?: ReadPosition;
}

/** A consistent snapshot of all facts that admit a callback of an identity provider. */
export interface CallbackAdmission extends Settings {
  /** Content of the state record; `null` if it is unknown, used or expired, and in maintenance mode. */
  readonly state: RecordValue | null;
  /** The app key whose digest is `state.appKey`; `null` if there is none. Disabled keys are included. */
  readonly appKey: AppKey | null;
}

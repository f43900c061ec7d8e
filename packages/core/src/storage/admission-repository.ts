import type { Digest } from "../digests/index.ts";
import { ServiceError } from "../errors/index.ts";
import type { AppKey } from "./app-key-repository.ts";
import type { Principal } from "./entities/principal.ts";
import type { Session, SessionMode } from "./entities/session.ts";
import type { RecordValue } from "./record-repository.ts";

/** Port: the one look-up that every request makes. Never cached, so what was revoked is refused by the next request. */
export interface AdmissionRepository {
  /** Reads everything in one statement. Extends the idle expiry of the session when at least `touchInterval` has passed. */
  admit(request: AdmissionRequest): Promise<Admission>;

  /**
   * The same for a browser that comes back from a provider with the state of its log-in; the digest is the id of a record of the kind
   * `providerState`. That is taken, unless the maintenance switch is on.
   */
  admitReturn(state: Digest): Promise<ReturnAdmission>;
}

export interface AdmissionRequest {
  /** SHA-256 of the presented app key; `null` when the route asks for none. */
  readonly appKey: Digest | null;
  /** SHA-256 of the presented session id; `null` when there is none. */
  readonly session: Digest | null;
  /** How the session id came; a session of another mode is not found. `session` unless given. */
  readonly mode?: SessionMode;
  /** Milliseconds; a session that is found is extended by it, see `touchInterval`. */
  readonly idleTimeout: number;
}

/** All that decides whether a request may enter, as of one moment. */
export interface Admission {
  /** The maintenance switch of the database. */
  readonly maintenance: boolean;
  /** Number of the current model; another number than before means that the model changed. */
  readonly modelGeneration: number;
  /** The same of the macros in the database. */
  readonly macroGeneration: number;
  /** The app key with the digest, disabled ones included; `null` if unknown or not asked for. */
  readonly appKey: AppKey | null;
  /**
   * The live session with the digest, if it is of the mode, this app key opened it, its account is not disabled and
   * the account's secret is still the one that opened it. That is asked of every session, also of one that was opened by a custom
   * account or a provider, whose own way in has to hold besides (`Entrance`). A secure one comes with its channel, which is named by the
   * same digest.
   */
  readonly session: Session | null;
  /** Whom the session belongs to; present exactly when the session is. */
  readonly principal: Principal | null;
}

/** What decides whether somebody may enter who comes back from a provider. */
export interface ReturnAdmission extends Pick<Admission, "maintenance" | "modelGeneration" | "macroGeneration"> {
  /** What the state stands for; `null` if it is unknown, spent or over, and during maintenance. */
  readonly state: RecordValue | null;
  /** The app key whose digest is the member `appKey` of that, disabled ones included; `null` if there is none. */
  readonly appKey: AppKey | null;
}

/** 706 while the maintenance switch is on. */
export function refuseMaintenance({ maintenance }: Pick<Admission, "maintenance">): void {
  if (maintenance) throw new ServiceError(706, { retryAfter: 60 });
}

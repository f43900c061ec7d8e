import type { Digest } from "../digests/digest.ts";
import type { Admission, AdmissionRequest, ReturnAdmission } from "./admission.ts";

/** Port: the one look-up that every request makes. Never cached, so what was revoked is refused by the next request. */
export interface AdmissionRepository {
  /** Reads everything in one statement. Extends the idle expiry of the session when at least `touchInterval` has passed. */
  admit(request: AdmissionRequest): Promise<Admission>;

  /**
   * The same for somebody who comes back from a provider and shows the state of his log-in by its digest, which is a one-time secret of the kind
   * `providerState`. It is spent as by `consume`, unless the maintenance switch is on.
   */
  admitReturn(state: Digest): Promise<ReturnAdmission>;
}

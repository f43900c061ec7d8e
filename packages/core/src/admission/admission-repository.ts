import type { Admission, AdmissionRequest } from "./admission.ts";

/** Port: the one look-up that every request makes. Never cached, so what was revoked is refused by the next request. */
export interface AdmissionRepository {
  /** Reads everything in one statement. Extends the idle expiry of the session when at least `touchInterval` has passed. */
  admit(request: AdmissionRequest): Promise<Admission>;
}

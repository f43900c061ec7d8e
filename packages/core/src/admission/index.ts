export type { Admission, AdmissionRequest } from "./admission.ts";
export type { AdmissionRepository } from "./admission-repository.ts";
